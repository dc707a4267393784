package io.feedbridge.gateway.demo;

import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.Delivery;
import io.feedbridge.websub.HubRequest;
import io.feedbridge.websub.LeasePolicy;
import io.feedbridge.websub.RandomToken;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SubscriberVerification;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A WebSub hub: it verifies the intent of each subscription, and when a publisher pings, sends its
 * subscribers the whole feed, signed with their secrets.
 */
final class SmallHub implements AutoCloseable {

  private record Key(String callback, String topic) {}

  private final LoopbackNet net;
  private final Journal journal;
  private final SecureRandom random = new SecureRandom();
  private final Map<Key, HubRequest.Subscribe> subscriptions = new ConcurrentHashMap<>();
  private final HttpServer server;

  SmallHub(LoopbackNet net, Journal journal) throws IOException {
    this.net = net;
    this.journal = journal;
    server =
        net.serve(Router.builder().route("POST", "/hub", LoopbackNet.BODY, this::take).build());
  }

  /** The URL to subscribe and to publish at. */
  String url() {
    return LoopbackNet.url(server) + "/hub";
  }

  private CompletionStage<Response> take(Request request) {
    try {
      HubRequest asked = HubRequest.parse(request.form());
      if (asked instanceof HubRequest.Subscribe subscribe) {
        verify(subscribe);
      } else if (asked instanceof HubRequest.Unsubscribe unsubscribe) {
        verify(unsubscribe);
      } else if (asked instanceof HubRequest.Publish publish) {
        publish.topics().forEach(this::distribute);
      }
      return CompletableFuture.completedFuture(Response.text(202, "accepted"));
    } catch (BadHubRequestException e) {
      return CompletableFuture.completedFuture(Response.text(400, e.reason()));
    }
  }

  private void verify(HubRequest.Subscribe asked) {
    Duration lease = LeasePolicy.DEFAULT.grant(asked.lease());
    ask(
        SubscriberVerification.of(asked, lease, RandomToken.next(random)),
        () -> {
          subscriptions.put(new Key(asked.callback(), asked.topic()), asked);
          journal.say(
              Actor.HUB,
              "← gateway subscribes to %s, and confirms it by giving a challenge back"
                  .formatted(file(asked.topic())));
        });
  }

  private void verify(HubRequest.Unsubscribe asked) {
    ask(
        SubscriberVerification.of(asked, RandomToken.next(random)),
        () -> subscriptions.remove(new Key(asked.callback(), asked.topic())));
  }

  private void ask(SubscriberVerification question, Runnable whenConfirmed) {
    var unused =
        net.get(question.url())
            .thenAccept(
                reply -> {
                  if (question.confirmedBy(reply.status(), reply.body())) {
                    whenConfirmed.run();
                  }
                });
  }

  private void distribute(String topic) {
    var unused =
        net.get(topic)
            .whenComplete(
                (feed, failure) -> {
                  if (failure != null || !feed.successful()) {
                    journal.say(Actor.HUB, "could not fetch " + file(topic));
                    return;
                  }
                  subscriptions.values().stream()
                      .filter(subscriber -> subscriber.topic().equals(topic))
                      .forEach(subscriber -> deliver(subscriber, feed));
                });
  }

  /** WebSub §7: the content as the topic has it, the Link headers, and a signature (§7.1). */
  private void deliver(HubRequest.Subscribe to, Reply feed) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", feed.headers().first("Content-Type").orElse("text/xml"));
    headers.put(Delivery.LINK, Delivery.link(url(), to.topic()));
    to.secret()
        .ifPresent(
            secret ->
                headers.put(
                    Delivery.SIGNATURE, Signature.sign(to.signatureMethod(), secret, feed.body())));
    journal.say(
        Actor.HUB,
        "→ gateway: WebSub delivery, fat: the whole of %s, signed".formatted(file(to.topic())));
    var unused =
        net.post(to.callback(), feed.body(), headers)
            .whenComplete(
                (reply, failure) -> {
                  if (failure != null || !reply.successful()) {
                    journal.say(Actor.HUB, "the gateway did not take it");
                  }
                });
  }

  private static String file(String topic) {
    return topic.substring(topic.lastIndexOf('/') + 1);
  }

  @Override
  public void close() {
    server.close(Duration.ZERO);
  }
}
