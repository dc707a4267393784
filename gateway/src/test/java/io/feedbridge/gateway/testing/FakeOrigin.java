package io.feedbridge.gateway.testing;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.http.ResponseDefinition;
import io.feedbridge.gateway.server.message.Request;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * An origin with feeds that tests publish to, on WireMock. It answers conditionally, and counts and
 * keeps the requests for each path.
 */
public final class FakeOrigin implements AutoCloseable {

  private static final Answer NONE =
      new Answer(aResponse().withStatus(404).withBody("no such feed").build(), null, null);

  private final StubServer server;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final Map<String, Map<String, String>> demands = new ConcurrentHashMap<>();
  private final Map<String, List<Request>> requests = new ConcurrentHashMap<>();

  /**
   * What is answered.
   *
   * @param etag for which a conditional request is answered 304
   */
  private record Answer(
      ResponseDefinition whole, @Nullable String etag, @Nullable CompletableFuture<?> gate) {

    CompletionStage<ResponseDefinition> to(Request request) {
      boolean known =
          etag != null && request.header("If-None-Match").filter(etag::equals).isPresent();
      ResponseDefinition answer =
          known ? aResponse().withStatus(304).withHeader("ETag", etag).build() : whole;
      return gate == null
          ? CompletableFuture.completedFuture(answer)
          : gate.thenApply(open -> answer);
    }
  }

  /** On a free port of 127.0.0.1. */
  public FakeOrigin() {
    this("127.0.0.1");
  }

  /** On a free port of a loopback address. */
  public FakeOrigin(String address) {
    server = new StubServer(address, 0, this::answer);
  }

  /** The server that answers. */
  StubServer server() {
    return server;
  }

  /** The URL of a path such as {@code feed.xml}. */
  public String url(String path) {
    return server.url() + "/" + path;
  }

  /** Answers so from now on: with headers, delays and faults as WireMock has them. */
  public String answer(String path, ResponseDefinitionBuilder answer) {
    answers.put(path, new Answer(answer.build(), null, null));
    return url(path);
  }

  /** Serves these bytes from now on. */
  public String serve(String path, String contentType, byte[] body, String... linkHeaders) {
    String etag = "\"" + Integer.toHexString(Arrays.hashCode(body)) + "\"";
    ResponseDefinitionBuilder whole =
        aResponse().withHeader("Content-Type", contentType).withHeader("ETag", etag).withBody(body);
    if (linkHeaders.length > 0) {
      whole.withHeader("Link", linkHeaders);
    }
    answers.put(path, new Answer(whole.build(), etag, null));
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
    return answer(
        path,
        aResponse().withStatus(status).withHeader("Content-Type", "text/plain").withBody("no"));
  }

  /** Redirects to another URL from now on. */
  public String redirect(String path, int status, String location) {
    return answer(path, aResponse().withStatus(status).withHeader("Location", location));
  }

  /** Answers 401 from now on to requests for the path without this field. */
  public void demand(String path, String header, String value) {
    demands.computeIfAbsent(path, any -> new ConcurrentHashMap<>()).put(header, value);
  }

  private boolean isRefused(String path, Request request) {
    return !demands.getOrDefault(path, Map.of()).entrySet().stream()
        .allMatch(one -> request.headers().all(one.getKey()).equals(List.of(one.getValue())));
  }

  /** Answers requests for the path only once the gate is completed. */
  public void holdBack(String path, CompletableFuture<?> gate) {
    answers.computeIfPresent(path, (p, now) -> new Answer(now.whole, now.etag, gate));
  }

  /** The requests for a path so far. */
  public List<Request> requests(String path) {
    return List.copyOf(requests.getOrDefault(path, List.of()));
  }

  /** How many requests there were so far, for whichever path. */
  public int requests() {
    return requests.values().stream().mapToInt(List::size).sum();
  }

  private CompletionStage<ResponseDefinition> answer(Request request) {
    String path = request.path().substring(1);
    requests.computeIfAbsent(path, any -> new CopyOnWriteArrayList<>()).add(request);
    if (isRefused(path, request)) {
      return CompletableFuture.completedFuture(
          aResponse().withStatus(401).withHeader("WWW-Authenticate", "Basic").build());
    }
    return answers.getOrDefault(path, NONE).to(request);
  }

  @Override
  public void close() {
    server.close();
  }
}
