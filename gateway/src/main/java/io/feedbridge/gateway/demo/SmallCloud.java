package io.feedbridge.gateway.demo;

import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.rsscloud.AnswerFormat;
import io.feedbridge.rsscloud.BadPingException;
import io.feedbridge.rsscloud.BadRegistrationException;
import io.feedbridge.rsscloud.CloudElement;
import io.feedbridge.rsscloud.CloudProtocol;
import io.feedbridge.rsscloud.HandlerTest;
import io.feedbridge.rsscloud.Notification;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.rsscloud.Ping;
import io.feedbridge.rsscloud.PingResult;
import io.feedbridge.rsscloud.Registration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An rssCloud cloud: it tests the handler of each registration, and when a publisher pings, tells
 * the registered handlers which feed has changed and no more.
 */
final class SmallCloud implements AutoCloseable {

  private static final String REGISTER = "/pleaseNotify";
  private static final String PING = "/ping";

  private final LoopbackNet net;
  private final Journal journal;
  private final SecureRandom random = new SecureRandom();
  private final Set<Notification> registered = ConcurrentHashMap.newKeySet();
  private final HttpServer server;

  SmallCloud(LoopbackNet net, Journal journal) throws IOException {
    this.net = net;
    this.journal = journal;
    server =
        net.serve(
            Router.builder()
                .route("POST", REGISTER, LoopbackNet.BODY, this::pleaseNotify)
                .route("POST", PING, LoopbackNet.BODY, this::ping)
                .build());
  }

  /** The element by which a feed's channel names this cloud. */
  CloudElement element() {
    return new CloudElement(
        server.address().getAddress().getHostAddress(),
        server.address().getPort(),
        REGISTER,
        "",
        CloudProtocol.HTTP_POST);
  }

  /** The URL that publishers ping. */
  String pingUrl() {
    return LoopbackNet.url(server) + PING;
  }

  private CompletionStage<Response> pleaseNotify(Request request) {
    try {
      Registration registration =
          Registration.parse(request.form(), request.peer().getAddress().getHostAddress());
      if (registration.urls().size() > 1) {
        NotifyResult refused = NotifyResult.refused("this cloud takes one feed at a time");
        return CompletableFuture.completedFuture(answer(request, refused));
      }
      String feed = registration.urls().get(0);
      HandlerTest test = HandlerTest.of(registration, feed, HandlerTest.newChallenge(random));
      return send(test)
          .thenApply(reply -> test.failure(reply.status(), reply.body(), null).isEmpty())
          .thenApply(passed -> answer(request, passed ? register(registration, feed) : failed()));
    } catch (BadRegistrationException e) {
      NotifyResult refused = NotifyResult.refused(String.valueOf(e.getMessage()));
      return CompletableFuture.completedFuture(answer(request, refused));
    }
  }

  private CompletableFuture<Reply> send(HandlerTest test) {
    return test.method().equals("GET")
        ? net.get(test.url())
        : net.postForm(test.url(), new String(test.body(), StandardCharsets.UTF_8));
  }

  private NotifyResult register(Registration registration, String feed) {
    registered.add(new Notification(registration.callback(), feed));
    journal.say(
        Actor.CLOUD,
        "← gateway registers for %s, and confirms it by giving a challenge back"
            .formatted(file(feed)));
    return NotifyResult.registered();
  }

  private static NotifyResult failed() {
    return NotifyResult.refused("your handler failed its test");
  }

  private CompletionStage<Response> ping(Request request) {
    AnswerFormat format = format(request);
    PingResult result;
    try {
      Ping.parse(request.form()).urls().forEach(this::tellAll);
      result = PingResult.thanks();
    } catch (BadPingException e) {
      result = PingResult.refused(String.valueOf(e.getMessage()));
    }
    return CompletableFuture.completedFuture(response(format, result.in(format)));
  }

  private void tellAll(String feed) {
    registered.stream()
        .filter(notification -> notification.feedUrl().equals(feed))
        .forEach(this::tell);
  }

  private void tell(Notification notification) {
    journal.say(
        Actor.CLOUD,
        "→ gateway: rssCloud notification, light: “%s has changed”"
            .formatted(file(notification.feedUrl())));
    Map<String, String> headers = Map.of("Content-Type", notification.contentType());
    var unused =
        net.post(notification.callback(), notification.body(), headers)
            .whenComplete(
                (reply, failure) -> {
                  if (failure != null
                      || notification.refusal(reply.status(), reply.body(), null).isPresent()) {
                    journal.say(Actor.CLOUD, "the gateway did not take it");
                  }
                });
  }

  private static Response answer(Request request, NotifyResult result) {
    AnswerFormat format = format(request);
    return response(format, result.in(format));
  }

  private static AnswerFormat format(Request request) {
    return AnswerFormat.preferredBy(request.header("Accept").orElse(null));
  }

  /** Status 200 also where it is a no: callers read the body. */
  private static Response response(AnswerFormat format, String text) {
    return Response.of(200, format.contentType(), text.getBytes(StandardCharsets.UTF_8));
  }

  private static String file(String feed) {
    return feed.substring(feed.lastIndexOf('/') + 1);
  }

  @Override
  public void close() {
    server.close(Duration.ZERO);
  }
}
