package io.feedbridge.gateway.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A list of very many feeds, of which some change all the time: the new ones begin and the old ones
 * end soon, and a feed that stays loses and doubles nothing. {@code -Dlists.feeds} and {@code
 * -Dlists.changes} say how many; {@code 5000} and {@code 40} are the goals'.
 */
@Tag("alone")
class ListsIT {

  private static final int FEEDS = Integer.getInteger("lists.feeds", 1_000);

  /** Changes of the list, of five feeds each. */
  private static final int CHANGES = Integer.getInteger("lists.changes", 10);

  private static final int AT_ONCE = 5;
  private static final int HOSTS = 40;
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final Duration LONG = Duration.ofMinutes(3);

  private final Map<Integer, List<String>> entries = new ConcurrentHashMap<>();
  private final Set<Integer> members = new ConcurrentSkipListSet<>();
  private final Set<Integer> fetched = ConcurrentHashMap.newKeySet();
  private final List<String> sent = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(16);
  private final Http http = new Http();

  @TempDir Path data;

  private HttpServer server;

  @BeforeEach
  void serve() throws IOException {
    // On all loopback addresses, each of which is a host to the gateway.
    server = HttpServer.create(new InetSocketAddress(0), 1_024);
    server.setExecutor(threads);
    server.createContext("/feed/", this::feed);
    server.createContext("/list.opml", exchange -> answer(exchange, "text/x-opml", opml()));
    server.createContext("/hook", this::hook);
    server.start();
    for (int i = 0; i < FEEDS; i++) {
      members.add(i);
    }
  }

  @AfterEach
  void end() {
    server.stop(0);
    threads.shutdownNow();
  }

  private String url(String host, String path) {
    return "http://%s:%d%s".formatted(host, server.getAddress().getPort(), path);
  }

  private String url(int feed) {
    return url("127.0.1." + (1 + feed % HOSTS), "/feed/" + feed);
  }

  private String list() {
    return url("127.0.0.1", "/list.opml");
  }

  private List<String> entries(int feed) {
    return entries.computeIfAbsent(feed, any -> new CopyOnWriteArrayList<>(List.of("old-" + feed)));
  }

  private void feed(HttpExchange exchange) throws IOException {
    int feed = Integer.parseInt(exchange.getRequestURI().getPath().replaceFirst(".*/", ""));
    List<String> newestFirst = new ArrayList<>(entries(feed));
    Collections.reverse(newestFirst);
    answer(
        exchange, "application/rss+xml", FakeOrigin.rssOf("", newestFirst.toArray(String[]::new)));
    fetched.add(feed);
  }

  private String opml() {
    StringBuilder list = new StringBuilder("<opml version=\"2.0\"><body>");
    members.forEach(
        feed -> list.append("<outline text=\"%d\" xmlUrl=\"%s\"/>".formatted(feed, url(feed))));
    return list.append("</body></opml>").toString();
  }

  private void hook(HttpExchange exchange) throws IOException {
    JsonNode message = new ObjectMapper().readTree(exchange.getRequestBody().readAllBytes());
    message.path("items").forEach(item -> sent.add(item.path("id").asText()));
    answer(exchange, "text/plain", "");
  }

  private static void answer(HttpExchange exchange, String type, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.getRequestBody().readAllBytes();
    exchange.getResponseHeaders().add("Content-Type", type);
    exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  private void publish(GatewayProcess gateway, int feed, String entry) {
    entries(feed).add(entry);
    ping(gateway, url(feed));
  }

  private static void ping(GatewayProcess gateway, String url) {
    assertThat(gateway.form("/ping", "url", url).statusCode()).isEqualTo(200);
  }

  private static boolean isFollowed(GatewayProcess gateway, String url) {
    return gateway.get("/api/v1/feeds?" + Http.encode("url", url)).body().contains("\"id\"");
  }

  @Test
  void feeds_of_a_list_begin_and_end_within_5_s_and_one_that_stays_loses_and_doubles_nothing() {
    try (GatewayProcess gateway =
        GatewayProcess.start(data, FreePort.next(), "--poll-min=12h", "--poll-max=24h")) {
      String webhook =
          "{\"url\":\"%s\",\"list\":\"%s\",\"verified\":true}"
              .formatted(url("127.0.0.1", "/hook"), list());
      assertThat(http.json("POST", gateway.url("/api/v1/webhooks"), webhook).statusCode())
          .isEqualTo(201);
      await().atMost(LONG).until(() -> fetched.size() == FEEDS);
      List<String> expected = new ArrayList<>();
      Duration longest = Duration.ZERO;
      int next = FEEDS;
      for (int change = 0; change < CHANGES; change++) {
        List<Integer> leave = members.stream().skip(100).limit(AT_ONCE).toList();
        List<Integer> join = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
          join.add(next++);
        }
        members.removeAll(leave);
        members.addAll(join);
        long since = System.nanoTime();
        ping(gateway, list());
        await().atMost(LONG).until(() -> fetched.containsAll(join));
        await()
            .atMost(LONG)
            .until(() -> leave.stream().noneMatch(feed -> isFollowed(gateway, url(feed))));
        Duration took = Duration.ofNanos(System.nanoTime() - since);
        longest = took.compareTo(longest) > 0 ? took : longest;
        for (int stays : List.of(change % 50, 50 + change % 50, join.get(0))) {
          String entry = "news-%d-%d".formatted(stays, change);
          expected.add(entry);
          publish(gateway, stays, entry);
        }
        publish(gateway, leave.get(0), "gone-" + change);
      }
      await().atMost(LONG).until(() -> sent.containsAll(expected));

      System.out.println("[lists] %d feeds, the longest change took %s".formatted(FEEDS, longest));
      assertThat(longest).isLessThan(SOON);
      assertThat(sent.stream().filter(id -> id.startsWith("news-")).toList())
          .containsExactlyInAnyOrderElementsOf(expected);
      assertThat(sent).noneMatch(id -> id.startsWith("gone-"));
    }
  }
}
