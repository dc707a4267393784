package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * An origin with feeds that tests publish to. It answers conditionally, and counts and keeps the
 * requests for each path.
 */
public final class FakeOrigin implements AutoCloseable {

  private final LocalServer server = new LocalServer(this::serve);
  private final Map<String, Resource> resources = new ConcurrentHashMap<>();
  private final Map<String, Response> redirects = new ConcurrentHashMap<>();
  private final Map<String, List<Request>> requests = new ConcurrentHashMap<>();

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Resource(
      int status,
      String contentType,
      byte[] body,
      List<String> links,
      @Nullable CompletableFuture<?> gate) {}

  /** The URL of a path such as {@code feed.xml}. */
  public String url(String path) {
    return server.url() + "/" + path;
  }

  /** Serves these bytes from now on. */
  public String serve(String path, String contentType, byte[] body, String... linkHeaders) {
    resources.put(path, new Resource(200, contentType, body, List.of(linkHeaders), null));
    return url(path);
  }

  /** Serves this text from now on. */
  public String serve(String path, String contentType, String body, String... linkHeaders) {
    return serve(path, contentType, body.getBytes(StandardCharsets.UTF_8), linkHeaders);
  }

  /** Serves an RSS feed with these items, the first the newest. */
  public String rss(String path, String channelElements, String... items) {
    return serve(path, "application/rss+xml", rssOf(channelElements, items));
  }

  /** The RSS document that {@link #rss} serves. */
  public static String rssOf(String channelElements, String... items) {
    StringBuilder text = new StringBuilder();
    text.append("<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\"><channel>")
        .append("<title>News</title><link>http://news.example/</link><description>d</description>")
        .append(channelElements);
    for (String item : items) {
      text.append(
              "<item><guid isPermaLink=\"false\">%s</guid><title>Title of %s</title>"
                  .formatted(item, item))
          .append("<link>http://news.example/%s</link></item>".formatted(item));
    }
    return text.append("</channel></rss>").toString();
  }

  /** Answers with this status from now on. */
  public String fail(String path, int status) {
    resources.put(
        path,
        new Resource(status, "text/plain", "no".getBytes(StandardCharsets.UTF_8), List.of(), null));
    return url(path);
  }

  /** Redirects to another URL from now on. */
  public String redirect(String path, int status, String location) {
    redirects.put(path, Response.empty(status).withHeader("Location", location));
    return url(path);
  }

  /** Answers requests for the path only once the gate is completed. */
  public void holdBack(String path, CompletableFuture<?> gate) {
    resources.computeIfPresent(
        path, (p, r) -> new Resource(r.status, r.contentType, r.body, r.links, gate));
  }

  /** The requests for a path so far. */
  public List<Request> requests(String path) {
    return List.copyOf(requests.getOrDefault(path, List.of()));
  }

  /** How many requests there were so far, for whichever path. */
  public int requests() {
    return requests.values().stream().mapToInt(List::size).sum();
  }

  private CompletionStage<Response> serve(Request request) {
    String path = request.path().substring(1);
    requests.computeIfAbsent(path, any -> new CopyOnWriteArrayList<>()).add(request);
    Response redirect = redirects.get(path);
    if (redirect != null) {
      return CompletableFuture.completedFuture(redirect);
    }
    Resource resource = resources.get(path);
    if (resource == null) {
      return CompletableFuture.completedFuture(Response.text(404, "no such feed"));
    }
    Response response = answer(request, resource);
    return resource.gate == null
        ? CompletableFuture.completedFuture(response)
        : resource.gate.thenApply(open -> response);
  }

  private static Response answer(Request request, Resource resource) {
    String etag = "\"" + Integer.toHexString(Arrays.hashCode(resource.body)) + "\"";
    if (resource.status == 200
        && request.header("If-None-Match").filter(etag::equals).isPresent()) {
      return Response.empty(304).withHeader("ETag", etag);
    }
    Response response =
        Response.of(resource.status, resource.contentType, resource.body).withHeader("ETag", etag);
    for (String link : new ArrayList<>(resource.links)) {
      response = response.plusHeader("Link", link);
    }
    return response;
  }

  @Override
  public void close() {
    server.close();
  }
}
