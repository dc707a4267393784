package io.feedbridge.gateway.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.load.LocalHosts.Answer;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.netty.handler.codec.http.FullHttpRequest;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
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
  private final Http http = new Http();
  private final LocalHosts servers = new LocalHosts(2, this::answer);
  private final LocalHost home = servers.listen("127.0.0.1");
  private final List<LocalHost> hosts = servers.listen(1, HOSTS);

  @TempDir Path data;

  @AfterEach
  void end() {
    servers.close();
  }

  private String url(int feed) {
    return hosts.get(feed % HOSTS).url("feed/" + feed);
  }

  private String list() {
    return home.url("list.opml");
  }

  private List<String> entries(int feed) {
    return entries.computeIfAbsent(feed, any -> new CopyOnWriteArrayList<>(List.of("old-" + feed)));
  }

  private Answer answer(LocalHost host, FullHttpRequest request) {
    return switch (request.uri()) {
      case "/list.opml" -> new Answer(200, "text/x-opml", opml().getBytes(UTF_8));
      case "/hook" -> taken(request);
      default -> feed(Integer.parseInt(request.uri().substring("/feed/".length())));
    };
  }

  private Answer feed(int feed) {
    List<String> newestFirst = new ArrayList<>(entries(feed));
    Collections.reverse(newestFirst);
    fetched.add(feed);
    String rss = FakeOrigin.rssOf("", newestFirst.toArray(String[]::new));
    return new Answer(200, "application/rss+xml", rss.getBytes(UTF_8));
  }

  private String opml() {
    StringBuilder list = new StringBuilder("<opml version=\"2.0\"><body>");
    members.forEach(
        feed -> list.append("<outline text=\"%d\" xmlUrl=\"%s\"/>".formatted(feed, url(feed))));
    return list.append("</body></opml>").toString();
  }

  private Answer taken(FullHttpRequest request) {
    try {
      JsonNode message = new ObjectMapper().readTree(request.content().toString(UTF_8));
      message.path("items").forEach(item -> sent.add(item.path("id").asText()));
      return Answer.TAKEN;
    } catch (JsonProcessingException e) {
      throw new AssertionError("a message is JSON", e);
    }
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
    IntStream.range(0, FEEDS).forEach(members::add);
    try (GatewayProcess gateway =
        GatewayProcess.start(data, FreePort.next(), "--poll-min=12h", "--poll-max=24h")) {
      String webhook =
          "{\"url\":\"%s\",\"list\":\"%s\",\"verified\":true}".formatted(home.url("hook"), list());
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
