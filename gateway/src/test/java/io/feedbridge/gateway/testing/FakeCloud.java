package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.rsscloud.BadRpcException;
import io.feedbridge.rsscloud.CloudCall;
import io.feedbridge.rsscloud.CloudProtocol;
import io.feedbridge.rsscloud.Notification;
import io.feedbridge.rsscloud.Registration;
import io.feedbridge.rsscloud.RpcCall;
import io.feedbridge.rsscloud.RpcValue;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** An upstream cloud: it tests whoever registers, then notifies when a test says so. */
public final class FakeCloud implements AutoCloseable {

  private static final String[] NO_HEADERS = {};

  private final LocalServer server = new LocalServer(this::serve);
  private final Http http = new Http();
  private final List<Map<String, List<String>>> requests = new CopyOnWriteArrayList<>();
  private final List<Registered> registered = new CopyOnWriteArrayList<>();

  private record Registered(Notification notification) {
    String feed() {
      return notification.feedUrl();
    }
  }

  private final List<RpcCall> calls = new CopyOnWriteArrayList<>();
  private volatile @Nullable String refusal;
  private volatile @Nullable String only;

  /** Refuses registrations from now on, by a fault. */
  public void refuse(String sentence) {
    refusal = sentence;
  }

  /** Knows one feed alone from now on, by this URL, as WordPress does. */
  public void knowOnly(String feed) {
    only = feed;
  }

  /** The element by which a channel names this cloud as one that is called by procedures. */
  public String element(CloudProtocol protocol) {
    return ("<cloud domain=\"127.0.0.1\" port=\"%d\" path=\"/RPC2\""
            + " registerProcedure=\"xmlStorageSystem.rssPleaseNotify\" protocol=\"%s\"/>")
        .formatted(server.port(), protocol.wireName());
  }

  /** The procedure calls so far. */
  public List<RpcCall> calls() {
    return List.copyOf(calls);
  }

  /** The element by which a channel names this cloud. */
  public String element() {
    return ("<cloud domain=\"127.0.0.1\" port=\"%d\" path=\"/pleaseNotify\" registerProcedure=\"\""
            + " protocol=\"http-post\"/>")
        .formatted(server.port());
  }

  /** The port at which it takes registrations, under any path. */
  public int port() {
    return server.port();
  }

  /** The forms that were POSTed so far. */
  public List<Map<String, List<String>>> requests() {
    return List.copyOf(requests);
  }

  /** How many handlers are registered for a feed. */
  public int registered(String feed) {
    return (int) registered.stream().filter(r -> r.feed().equals(feed)).count();
  }

  /** Notifies the aggregator of a feed. */
  public HttpResponse<String> notify(String feed) {
    Registered one =
        registered.stream()
            .filter(r -> r.feed().equals(feed))
            .findFirst()
            .orElseThrow(() -> new AssertionError("nobody is registered for " + feed));
    return send(one.notification).join();
  }

  private CompletableFuture<HttpResponse<String>> send(Notification notification) {
    return http.post(
        notification.callback(), notification.contentType(), notification.body(), NO_HEADERS);
  }

  /** Tests the handler like any other, by a notification. */
  private CompletionStage<Response> call(Request request) {
    RpcCall call = Rpc.call(request);
    calls.add(call);
    String no = refusal;
    if (no != null) {
      return CompletableFuture.completedFuture(Rpc.fault(request, no));
    }
    CloudCall asked;
    try {
      asked = CloudCall.parse(call, "127.0.0.1");
    } catch (BadRpcException e) {
      return CompletableFuture.completedFuture(Rpc.fault(request, String.valueOf(e.getMessage())));
    }
    Registration registration = ((CloudCall.PleaseNotify) asked).registration();
    Notification notification =
        new Notification(
            registration.callback(),
            registration.urls().get(0),
            registration.protocol(),
            registration.notifyProcedure());
    return CompletableFuture.supplyAsync(() -> send(notification).join())
        .thenApply(
            reply -> {
              byte[] answer = reply.body().getBytes(StandardCharsets.UTF_8);
              boolean passed = notification.refusal(reply.statusCode(), answer, null).isEmpty();
              if (passed) {
                registered.add(new Registered(notification));
              }
              return Rpc.value(request, new RpcValue.Bool(passed));
            });
  }

  private CompletionStage<Response> serve(Request request) {
    if (request.path().equals("/RPC2")) {
      return call(request);
    }
    Map<String, List<String>> form = request.form();
    requests.add(form);
    String feed = Http.first(form, "url1");
    String known = only;
    if (known != null && !known.equals(feed)) {
      String no =
          "<notifyResult success='false' msg='You can only request updates for %s' />"
              .formatted(known);
      return CompletableFuture.completedFuture(
          Response.of(200, "text/xml", no.getBytes(StandardCharsets.UTF_8)));
    }
    String callback =
        "http://%s:%s%s"
            .formatted(
                Http.first(form, "domain"), Http.first(form, "port"), Http.first(form, "path"));
    return CompletableFuture.supplyAsync(
            () -> http.get(callback + "?" + Http.encode("url", feed, "challenge", "xyz-789")))
        .thenApply(
            reply -> {
              boolean passed = reply.statusCode() == 200 && reply.body().contains("xyz-789");
              if (passed) {
                registered.add(new Registered(new Notification(callback, feed)));
              }
              String result = "<notifyResult success=\"%s\" msg=\"as tested\"/>".formatted(passed);
              return Response.of(200, "text/xml", result.getBytes(StandardCharsets.UTF_8));
            });
  }

  @Override
  public void close() {
    server.close();
  }
}
