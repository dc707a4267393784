package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** An upstream hub: it verifies whoever subscribes, then delivers what a test publishes. */
public final class FakeHub implements AutoCloseable {

  private final LocalServer server = new LocalServer(this::serve);
  private final Http http;
  private final List<Map<String, List<String>>> requests = new CopyOnWriteArrayList<>();
  private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();
  private volatile int answer = 202;
  private volatile boolean verifying = true;
  private volatile @Nullable Response moved;
  private volatile @Nullable String retryAfter;
  private volatile int leaseSeconds = 864_000;

  private record Subscriber(String topic, String callback, @Nullable String secret) {}

  /** A hub that calls subscribers by their addresses. */
  public FakeHub() {
    this(new Http());
  }

  /** A hub that calls subscribers with this client. */
  public FakeHub(Http http) {
    this.http = http;
  }

  /** The hub's URL. */
  public String url() {
    return server.url() + "/hub";
  }

  /** From now on requests are answered so; other than 2xx, nothing comes of them. */
  public void answer(int status) {
    answer = status;
  }

  /** From now on requests are answered with 503 and this {@code Retry-After}. */
  public void beBusy(String retryAfter) {
    this.retryAfter = retryAfter;
  }

  /** Ends {@link #beBusy}. */
  public void beWell() {
    retryAfter = null;
  }

  /** From now on requests are to be repeated at another hub. */
  public void moveTo(int status, String location) {
    moved = Response.empty(status).withHeader("Location", location);
  }

  /** Tells the first who asked for a topic that it is denied. */
  public HttpResponse<String> deny(String topic, String reason) {
    String callback =
        requests.stream()
            .filter(form -> Http.first(form, "hub.topic").equals(topic))
            .map(form -> Http.first(form, "hub.callback"))
            .findFirst()
            .orElseThrow(() -> new AssertionError("nobody asked for " + topic));
    return http.get(
        callback
            + "?"
            + Http.encode("hub.mode", "denied", "hub.topic", topic, "hub.reason", reason));
  }

  /** From now on requests are accepted but never verified. */
  public void neverVerify() {
    verifying = false;
  }

  /** The lease granted from now on. */
  public void lease(int seconds) {
    leaseSeconds = seconds;
  }

  /** The forms that were POSTed so far. */
  public List<Map<String, List<String>>> requests() {
    return List.copyOf(requests);
  }

  /** How many subscriptions to a topic are verified. */
  public int subscribers(String topic) {
    return (int) subscribers.stream().filter(s -> s.topic.equals(topic)).count();
  }

  /** The callback of the subscriber of a topic. */
  public String callback(String topic) {
    return subscriber(topic).callback;
  }

  /** Delivers with a right signature. */
  public HttpResponse<String> deliver(String topic, String contentType, String body) {
    Subscriber subscriber = subscriber(topic);
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return subscriber.secret == null
        ? http.post(subscriber.callback, contentType, bytes).join()
        : deliver(
            topic,
            contentType,
            body,
            Signature.sign(SignatureMethod.SHA256, subscriber.secret, bytes));
  }

  /** Delivers with this signature; null for none. */
  public HttpResponse<String> deliver(
      String topic, String contentType, String body, @Nullable String signature) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    String callback = subscriber(topic).callback;
    return signature == null
        ? http.post(callback, contentType, bytes).join()
        : http.post(callback, contentType, bytes, "X-Hub-Signature", signature).join();
  }

  /** The subscriber; the gateway knows that it is verified a moment before its hub does. */
  private Subscriber subscriber(String topic) {
    World.until(() -> subscribers(topic) > 0);
    return subscribers.stream().filter(s -> s.topic.equals(topic)).findFirst().orElseThrow();
  }

  private CompletionStage<Response> serve(Request request) {
    Map<String, List<String>> form = request.form();
    requests.add(form);
    Response elsewhere = moved;
    if (elsewhere != null) {
      return CompletableFuture.completedFuture(elsewhere);
    }
    String later = retryAfter;
    if (later != null) {
      return CompletableFuture.completedFuture(
          Response.empty(503).withHeader("Retry-After", later));
    }
    boolean publish = form.getOrDefault("hub.mode", List.of()).contains("publish");
    if (answer < 300 && verifying && !publish) {
      verify(form);
    }
    return CompletableFuture.completedFuture(Response.empty(answer));
  }

  private void verify(Map<String, List<String>> form) {
    String mode = Http.first(form, "hub.mode");
    String topic = Http.first(form, "hub.topic");
    String callback = Http.first(form, "hub.callback");
    String query =
        Http.encode(
            "hub.mode",
            mode,
            "hub.topic",
            topic,
            "hub.challenge",
            "c-123",
            "hub.lease_seconds",
            Integer.toString(leaseSeconds),
            "hub.verify_token",
            Http.first(form, "hub.verify_token"));
    var unused =
        CompletableFuture.supplyAsync(() -> http.get(callback + "?" + query))
            .thenAccept(
                reply -> {
                  if (reply.statusCode() == 200 && reply.body().equals("c-123")) {
                    subscribers.removeIf(s -> s.topic.equals(topic) && s.callback.equals(callback));
                    if (mode.equals("subscribe")) {
                      List<String> secret = form.get("hub.secret");
                      subscribers.add(
                          new Subscriber(topic, callback, secret == null ? null : secret.get(0)));
                    }
                  }
                });
  }

  @Override
  public void close() {
    server.close();
  }
}
