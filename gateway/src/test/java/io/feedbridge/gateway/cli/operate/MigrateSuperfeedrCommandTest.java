package io.feedbridge.gateway.cli.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** An account at Superfeedr on its way to a gateway. */
@Timeout(300)
class MigrateSuperfeedrCommandTest {

  private static final String TOKEN = "the-admin-token";

  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** The answers to requests for a page before its usual one. */
  private final Map<String, Queue<Integer>> failures = new ConcurrentHashMap<>();

  private final Map<String, List<String>> pages = new ConcurrentHashMap<>();
  private final Queue<String> asked = new ConcurrentLinkedQueue<>();
  private World world;
  private RawHost superfeedr;

  @BeforeEach
  void start() {
    world =
        World.around(
            TestGateway.guarded(Clock.systemUTC(), folder.resolve("data"), new Secret(TOKEN)));
    superfeedr = RawHost.running(this::list);
  }

  @AfterEach
  void stop() {
    superfeedr.close();
    world.close();
  }

  private void list(RawHost.Talk talk) throws IOException {
    RawHost.Received request = talk.read();
    if (request == null) {
      return;
    }
    String page = request.target().replaceAll(".*[&?]page=(\\d+).*", "$1");
    asked.add(page);
    String basic = Base64.getEncoder().encodeToString("ann:shh".getBytes(StandardCharsets.UTF_8));
    Integer failure = failures.getOrDefault(page, new ConcurrentLinkedQueue<>()).poll();
    int status =
        request.header("Authorization").equals(Optional.of("Basic " + basic))
            ? Optional.ofNullable(failure).orElse(200)
            : 401;
    String body =
        status == 200 && failure != null
            ? "<html>"
            : "[" + String.join(",", pages.getOrDefault(page, List.of())) + "]";
    talk.send(
        "HTTP/1.1 %d X\r\nConnection: close\r\nRetry-After: 0\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(status, body.length(), body));
  }

  private static String listed(String topic, String endpoint, String format) {
    return ("{\"subscription\":{\"format\":\"%s\",\"endpoint\":\"%s\",\"secret\":null,"
            + "\"feed\":{\"title\":\"t\",\"url\":\"%s\"}}}")
        .formatted(format, endpoint, topic);
  }

  private int run(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--login",
                "ann",
                "--superfeedr-token",
                "shh",
                "--from",
                superfeedr.url("/"),
                "--state",
                state().toString(),
                "--gateway",
                world.gateway().url("/"),
                "--token",
                TOKEN));
    arguments.addAll(List.of(more));
    return new CommandLine(new MigrateSuperfeedrCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments.toArray(String[]::new));
  }

  private Path state() {
    return folder.resolve("state.json");
  }

  private List<Subscription> of(String topic) {
    return world
        .gateway()
        .store()
        .feeds()
        .byTopic(topic)
        .map(feed -> world.gateway().store().subscriptions().ofFeed(feed.id(), 0, 100))
        .orElse(List.of());
  }

  @Test
  void subscriptions_are_made_with_callback_format_and_secret_and_no_callback_is_asked()
      throws IOException {
    String feed = world.origin().rss("feed.xml", "", "one");
    String callback = world.subscriber().url("json");
    pages.put(
        "1",
        List.of(
            listed(feed, callback, "json"), listed(feed, world.subscriber().url("atom"), "atom")));
    Path secrets = Files.writeString(folder.resolve("secrets"), callback + " s3cret\n");

    assertThat(run("--verified", "--secrets", secrets.toString())).isZero();

    assertThat(of(feed))
        .extracting(one -> one.callback() + " " + one.terms().format() + one.terms().secret())
        .containsExactlyInAnyOrder(
            callback + " JSONs3cret", world.subscriber().url("atom") + " ATOMnull");
    assertThat(world.subscriber().asked("json")).isEmpty();
    assertThat(out.toString()).contains("2 made, 0 refused, 0 that cannot be moved");
    assertThat(state()).doesNotExist();
  }

  @Test
  void callbacks_are_asked_by_default() {
    String feed = world.origin().rss("feed.xml", "", "one");
    pages.put("1", List.of(listed(feed, world.subscriber().url("asked"), "json")));

    assertThat(run()).isZero();

    World.until(() -> !of(feed).isEmpty());
    assertThat(world.subscriber().asked("asked")).hasSize(1);
  }

  @Test
  void what_cannot_be_moved_and_what_is_refused_is_told_with_the_reason() {
    String feed = world.origin().rss("feed.xml", "", "one");
    pages.put(
        "1",
        List.of(
            listed(feed, "xmpp:ann@example.org", "atom"),
            listed("http://a.example/page#css", "http://127.0.0.1:9/cb", "atom"),
            listed(
                "http://track.superfeedr.com/?query=apple%20-pear",
                world.subscriber().url("track"), "json")));

    assertThat(run("--verified")).isEqualTo(1);

    assertThat(out.toString())
        .contains("unmovable: " + feed + " to xmpp:ann@example.org: its callback is no URL")
        .contains("refused: http://a.example/page#css")
        .contains("1 made, 1 refused, 1 that cannot be moved, 0 pages unread");
    assertThat(of(world.gateway().url("/track?query=apple%20-pear"))).hasSize(1);
  }

  @Test
  void a_page_that_is_answered_429_is_asked_for_again() {
    String feed = world.origin().rss("feed.xml", "", "one");
    pages.put("1", List.of(listed(feed, world.subscriber().url("one"), "json")));
    failures.put("1", new ConcurrentLinkedQueue<>(List.of(429, 503)));

    assertThat(run("--verified")).isZero();

    assertThat(asked).containsExactly("1", "1", "1");
    assertThat(of(feed)).hasSize(1);
  }

  @Test
  void a_broken_page_holds_up_no_other_and_is_read_by_the_next_call() {
    List<String> full = new ArrayList<>();
    for (int i = 0; i < SuperfeedrAccount.PAGE; i++) {
      full.add(listed("http://a.example/", "xmpp:" + i, "atom"));
    }
    String feed = world.origin().rss("feed.xml", "", "one");
    pages.put("1", List.of(listed(feed, world.subscriber().url("first"), "json")));
    pages.put("2", full);
    pages.put("3", List.of(listed(feed, world.subscriber().url("third"), "json")));
    failures.put("1", new ConcurrentLinkedQueue<>(List.of(200, 200, 200, 200, 200)));

    assertThat(run("--verified")).isEqualTo(1);
    assertThat(of(feed)).hasSize(1);
    assertThat(err.toString()).contains("page 1: the page is no JSON", "[1]");
    asked.clear();

    assertThat(run("--verified")).isZero();

    assertThat(asked).containsExactly("1", "4");
    assertThat(of(feed)).hasSize(2);
    assertThat(state()).doesNotExist();
  }

  @Test
  void a_wrong_token_ends_it_at_once() {
    failures.put("1", new ConcurrentLinkedQueue<>(List.of(401)));

    assertThat(run()).isEqualTo(1);

    assertThat(asked).containsExactly("1");
    assertThat(err.toString()).contains("status 401");
  }
}
