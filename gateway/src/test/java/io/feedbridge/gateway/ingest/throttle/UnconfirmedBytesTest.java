package io.feedbridge.gateway.ingest.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeOrigin;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnconfirmedBytesTest {

  private static final Instant NOW = StageBench.START;

  private final AtomicLong stored = new AtomicLong();
  private final AtomicInteger counts = new AtomicInteger();
  @TempDir Path data;

  /** The feeds of a store in which such documents take so many bytes. */
  private Feeds feeds(StageBench bench) {
    return StageBench.faulty(
        Feeds.class,
        bench.store().feeds(),
        (method, arguments, rest) -> {
          if (!method.equals("unconfirmedBytes")) {
            return rest.call();
          }
          counts.incrementAndGet();
          return stored.get();
        });
  }

  @Test
  void past_the_bound_feeds_that_no_subscriber_confirmed_wait_and_others_do_not() {
    try (StageBench bench = StageBench.on(data)) {
      FollowedFeed confirmed = bench.subscribed("http://origin.example/one", Format.ATOM);
      FollowedFeed pending = bench.store().feeds().follow("http://a.example/", NOW).join();
      UnconfirmedBytes budget = new UnconfirmedBytes(feeds(bench));
      assertThat(budget.before(pending, NOW)).isEmpty();

      stored.set(UnconfirmedBytes.MOST);
      Instant later = NOW.plus(UnconfirmedBytes.RECOUNT);
      UnconfirmedBytes full = new UnconfirmedBytes(feeds(bench));
      HeldBack held = full.before(pending, later).orElseThrow();

      assertThat(held.reason()).contains("1024 MiB").contains("--bridge");
      assertThat(held.until())
          .isBetween(later.plus(Duration.ofMinutes(1)), later.plus(Duration.ofMinutes(2)));
      assertThat(full.before(confirmed, later)).isEmpty();
    }
  }

  @Test
  void the_store_is_asked_again_only_when_the_bound_may_be_reached() {
    try (StageBench bench = StageBench.on(data)) {
      FollowedFeed pending = bench.store().feeds().follow("http://a.example/", NOW).join();
      UnconfirmedBytes budget = new UnconfirmedBytes(feeds(bench));
      stored.set(UnconfirmedBytes.MOST - 10);
      for (int i = 0; i < 5; i++) {
        assertThat(budget.before(pending, NOW)).isEmpty();
      }
      assertThat(counts).hasValue(1);

      budget.recorded(OutcomeBuilder.of(pending, NOW).body("0123456789").build());
      assertThat(budget.before(pending, NOW)).isPresent();
      stored.set(0);
      assertThat(budget.before(pending, NOW)).isPresent();
      assertThat(counts).hasValue(1);

      assertThat(budget.before(pending, NOW.plus(UnconfirmedBytes.RECOUNT))).isEmpty();
      assertThat(counts).hasValue(2);
    }
  }

  @Test
  void a_document_counts_until_a_subscriber_confirms_its_feed() {
    try (FakeOrigin origin = new FakeOrigin();
        StageBench bench =
            new StageBench(data, new ManualTimer(NOW), store -> store, work -> work)) {
      bench.startIngest().startPolls();
      String topic = origin.rss("feed.xml", "", "one");
      FollowedFeed feed = bench.store().feeds().follow(topic, NOW).join();
      bench.until(() -> bench.feed(topic).hasBaseline());

      assertThat(bench.store().feeds().isUnconfirmed(feed.id())).isTrue();
      assertThat(bench.store().feeds().unconfirmedBytes())
          .isPositive()
          .isEqualTo(bench.store().feeds().bodyLength(feed.id()));

      bench.subscribed(topic, Format.ATOM);

      assertThat(bench.store().feeds().isUnconfirmed(feed.id())).isFalse();
      assertThat(bench.store().feeds().unconfirmedBytes()).isZero();
    }
  }
}
