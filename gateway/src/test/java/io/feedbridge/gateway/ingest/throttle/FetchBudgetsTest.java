package io.feedbridge.gateway.ingest.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.guard.FirstFetches;
import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.work.Via;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What strangers may make the gateway fetch and append. */
class FetchBudgetsTest {

  private final FakeOrigin origin = new FakeOrigin();
  @TempDir Path data;
  private StageBench bench;

  @BeforeEach
  void start() {
    bench =
        new StageBench(data, new ManualTimer(StageBench.START), store -> store, work -> work)
            .startIngest()
            .startPolls();
  }

  @AfterEach
  void stop() {
    bench.close();
    origin.close();
  }

  private FetchBudgets budgets() {
    return new FetchBudgets(
        FirstFetches.unlimited(),
        Networks.of(List.of("203.0.113.0/24")),
        bench.store().feeds(),
        bench.timer().clock());
  }

  private int requests(String path) {
    return origin.requests(path).size();
  }

  private void ping(FollowedFeed feed, int times) {
    for (int i = 0; i < times; i++) {
      bench.light(feed, Via.PING);
      bench.untilIdle();
    }
  }

  private HeldBack held(FollowedFeed feed) {
    return bench.store().feeds().heldBack(feed.id()).orElseThrow();
  }

  @Test
  void pings_in_vain_are_fetched_for_ever_more_rarely_and_L10_none_is_lost() {
    FollowedFeed feed = bench.followed(origin.rss("feed.xml", "", "one"));
    int before = requests("feed.xml");

    ping(feed, 500);
    assertThat(requests("feed.xml") - before).isEqualTo(FetchBudgets.PINGS_IN_VAIN);
    assertThat(held(feed).reason()).contains("brought no new entry");
    origin.rss("feed.xml", "", "two", "one");
    ping(feed, 1);
    bench.timer().advance(Duration.between(bench.timer().now(), held(feed).until()));
    bench.until(() -> bench.news(feed.topic()).contains("two"));

    assertThat(bench.timer().now())
        .isBeforeOrEqualTo(StageBench.START.plus(FetchBudgets.PINGS_PERIOD));
    assertThat(bench.store().feeds().heldBack(feed.id())).isEmpty();
  }

  @Test
  void pings_whose_news_the_fetch_before_found_are_not_in_vain() {
    FollowedFeed feed = bench.followed(origin.rss("feed.xml", "", "one"));
    origin.rss("feed.xml", "", "two", "one");
    int before = requests("feed.xml");

    for (int i = 0; i < 3 * FetchBudgets.PINGS_IN_VAIN; i++) {
      ping(feed, 1);
    }

    assertThat(requests("feed.xml") - before).isEqualTo(3 * FetchBudgets.PINGS_IN_VAIN);
    assertThat(bench.store().feeds().heldBack(feed.id())).isEmpty();
  }

  @Test
  void pings_that_bring_news_have_no_budget() {
    FollowedFeed feed = bench.followed(origin.rss("feed.xml", "", "0"));

    for (int i = 1; i <= 3 * FetchBudgets.PINGS_IN_VAIN; i++) {
      origin.rss("feed.xml", "", Integer.toString(i));
      ping(feed, 1);
    }

    assertThat(bench.news(feed.topic())).hasSize(3 * FetchBudgets.PINGS_IN_VAIN);
  }

  @Test
  void pings_of_what_is_no_feed_have_a_budget_whatever_they_bring() {
    String topic = origin.serve("file", "application/octet-stream", "0");
    FollowedFeed content = bench.followed(topic);
    int before = requests("file");

    for (int i = 1; i <= 3 * FetchBudgets.PINGS_IN_VAIN; i++) {
      origin.serve("file", "application/octet-stream", Integer.toString(i));
      ping(content, 1);
    }

    assertThat(requests("file") - before).isEqualTo(FetchBudgets.PINGS_IN_VAIN);
  }

  @Test
  void a_feed_that_floods_is_left_alone_until_its_budget_is_there_again_and_says_so() {
    FollowedFeed feed = bench.followed(origin.rss("feed.xml", "", "one"));
    String filler = "x".repeat(10_000);
    int floods = 0;
    while (bench.store().feeds().heldBack(feed.id()).isEmpty() && floods < 20) {
      StringBuilder items = new StringBuilder("<rss version='2.0'><channel><title>t</title>");
      for (int i = 0; i < 1_400; i++) {
        items.append(
            "<item><guid>%1$d-%2$d</guid><title>%1$d-%2$d</title><description>%3$s</description></item>"
                .formatted(floods, i, filler));
      }
      origin.serve("feed.xml", "application/rss+xml", items + "</channel></rss>");
      ping(feed, 1);
      floods++;
    }

    HeldBack held = held(feed);
    assertThat(held.reason()).contains("within a day");
    assertThat(held.until()).isBefore(StageBench.START.plus(Duration.ofDays(1)));
    // The last document may have been taken whole.
    assertThat(floods).isBetween(4, 6);
    int before = requests("feed.xml");
    ping(feed, 5);
    assertThat(requests("feed.xml")).isEqualTo(before);

    origin.rss("feed.xml", "", "after");
    bench.timer().advance(Duration.between(bench.timer().now(), held.until()));
    bench.until(() -> requests("feed.xml") > before);
    bench.untilIdle();
  }

  @Test
  void forged_deliveries_that_bring_nothing_do_not_hold_back_a_publishers_pings() {
    FollowedFeed feed = bench.followed(origin.rss("feed.xml", "", "one"));
    for (int i = 0; i < 2 * FetchBudgets.PINGS_IN_VAIN; i++) {
      bench.light(feed, Via.WEBSUB);
      bench.untilIdle();
    }
    assertThat(bench.store().feeds().heldBack(feed.id())).isPresent();

    origin.rss("feed.xml", "", "two", "one");
    ping(feed, 1);

    bench.until(() -> bench.news(feed.topic()).contains("two"));
    assertThat(bench.store().feeds().heldBack(feed.id())).isEmpty();
  }

  private static Pings by(String... callers) {
    return new Pings(Set.of(Via.PING), Set.of(callers));
  }

  @Test
  void one_caller_takes_a_part_of_the_bytes_of_a_host() {
    FetchBudgets budgets = budgets();
    FollowedFeed victim = bench.subscribed(origin.url("file.zip"), Format.ATOM);
    Instant now = bench.timer().now();

    int fetches = 0;
    while (budgets.before(victim, by("192.0.2.1"), now).isEmpty() && fetches < 64) {
      budgets.arrived(victim, by("192.0.2.1"), 16 << 20, now);
      fetches++;
    }

    assertThat(fetches).isEqualTo(2);
    assertThat(budgets.before(victim, by("192.0.2.1"), now).orElseThrow().reason())
        .contains("one caller")
        .contains("32 MiB");
    assertThat(budgets.before(victim, by("192.0.2.2"), now)).isEmpty();
    assertThat(budgets.before(victim, by("192.0.2.1", "192.0.2.2"), now)).isEmpty();
    assertThat(budgets.before(victim, Pings.NONE, now)).isEmpty();
    for (String without : List.of("203.0.113.7", "127.0.0.1")) {
      budgets.arrived(victim, by(without), 64 << 20, now);
      assertThat(budgets.before(victim, by(without), now)).isEmpty();
    }

    FollowedFeed good = bench.followed(origin.rss("good.xml", "", "one"));
    budgets.arrived(good, by("192.0.2.1"), 1 << 20, now);
    budgets.brought(good, by("192.0.2.1"), 1 << 20, now);
    assertThat(budgets.before(victim, by("192.0.2.1"), now)).isEmpty();
  }

  @Test
  void bytes_that_bring_nothing_are_a_budget_of_their_host_and_not_of_feeds_that_bring_news() {
    FetchBudgets budgets = budgets();
    FollowedFeed victim = bench.subscribed(origin.url("file.zip"), Format.ATOM);
    FollowedFeed good = bench.subscribed(origin.url("good.xml"), Format.ATOM);
    FollowedFeed other = bench.subscribed("http://other.example/feed", Format.ATOM);
    FetchResult result =
        new FetchResult.NotModified(FetchResult.Way.straight(victim.url(), Duration.ZERO));
    budgets.pinged(good, Set.of(Via.PING), true, bench.timer().now());

    for (int i = 0; i < 64; i++) {
      budgets.fetched(victim, result, 16 << 20, bench.timer().now());
    }

    HeldBack held = budgets.before(victim, Pings.NONE, bench.timer().now()).orElseThrow();
    assertThat(held.reason()).contains("127.0.0.1").contains("512 MiB");
    assertThat(held.until()).isAfter(bench.timer().now().plusSeconds(3_500));
    assertThat(budgets.before(victim, by("192.0.2.9"), bench.timer().now()).orElseThrow().until())
        .isAfter(held.until());
    assertThat(budgets.before(good, by("192.0.2.9"), bench.timer().now())).isEmpty();
    assertThat(budgets.before(other, Pings.NONE, bench.timer().now())).isEmpty();
  }

  @Test
  void a_feed_whose_host_asked_to_be_left_alone_is_held_back_and_says_so() {
    try (FakeSubscriber host = new FakeSubscriber()) {
      String rss = FakeOrigin.rssOf("", "one");
      host.onQuestion(
          "feed.xml",
          request ->
              CompletableFuture.completedFuture(
                  Response.of(200, "application/rss+xml", rss.getBytes(StandardCharsets.UTF_8))));
      host.onQuestion(
          "busy.xml",
          request ->
              CompletableFuture.completedFuture(
                  Response.empty(503).withHeader("Retry-After", "7200")));
      FollowedFeed feed = bench.followed(host.url("feed.xml"));
      bench.followed(host.url("busy.xml"));
      int before = host.asked("feed.xml").size();

      ping(feed, 1);

      assertThat(held(feed).reason()).isEqualTo("its host requested a pause (Retry-After)");
      assertThat(held(feed).until()).isAfter(bench.timer().now().plus(Duration.ofMinutes(110)));
      assertThat(host.asked("feed.xml")).hasSize(before);
      bench.timer().advance(Duration.ofHours(2));
      bench.until(() -> bench.store().feeds().heldBack(feed.id()).isEmpty());
    }
  }

  @Test
  void a_redirect_to_another_host_is_charged_there_too() {
    FetchBudgets budgets = budgets();
    FollowedFeed feed = bench.subscribed("http://attacker.example/r", Format.ATOM);
    FollowedFeed victim = bench.subscribed("http://victim.example/file", Format.ATOM);
    FetchResult.Way way = FetchResult.Way.straight("http://victim.example/file", Duration.ZERO);
    FetchResult result = new FetchResult.Failed(null, "too large", java.util.Optional.empty(), way);

    for (int i = 0; i < 32; i++) {
      budgets.fetched(feed, result, 16 << 20, bench.timer().now());
    }

    assertThat(budgets.before(victim, Pings.NONE, bench.timer().now())).isPresent();
  }
}
