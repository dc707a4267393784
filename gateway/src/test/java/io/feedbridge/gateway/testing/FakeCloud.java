package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** An upstream cloud: it tests whoever registers, then notifies when a test says so. */
public final class FakeCloud implements AutoCloseable {

  private final LocalServer server = new LocalServer(this::serve);
  private final Http http = new Http();
  private final List<Map<String, List<String>>> requests = new CopyOnWriteArrayList<>();
  private final List<Registered> registered = new CopyOnWriteArrayList<>();

  private record Registered(String feed, String callback) {}

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
    return (int) registered.stream().filter(r -> r.feed.equals(feed)).count();
  }

  /** Notifies the aggregator of a feed. */
  public HttpResponse<String> notify(String feed) {
    Registered one =
        registered.stream()
            .filter(r -> r.feed.equals(feed))
            .findFirst()
            .orElseThrow(() -> new AssertionError("nobody is registered for " + feed));
    return http.form(one.callback, "url", feed);
  }

  private CompletionStage<Response> serve(Request request) {
    Map<String, List<String>> form = request.form();
    requests.add(form);
    String feed = Http.first(form, "url1");
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
                registered.add(new Registered(feed, callback));
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
