package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.hosts.HostGate;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A ping never waits behind polls, and no failure keeps a place of the gate. */
class HastyPingsTest {

  private static final Politeness PAUSED =
      new Politeness(Duration.ofHours(1), StageBench.MANNERS.bursts());

  private final FakeOrigin origin = new FakeOrigin();
  private final AtomicInteger failing = new AtomicInteger();
  @TempDir Path data;

  /** The clock stands still, so that whatever waits for the pause waits for ever. */
  @SuppressWarnings("NullAway.Init")
  private StageBench bench;

  private void start() {
    bench =
        new StageBench(
                data,
                new ManualTimer(StageBench.START),
                StageBench.faultyPart(
                    Subscriptions.class,
                    (method, arguments, rest) -> {
                      if (method.equals("readers") && failing.getAndDecrement() > 0) {
                        throw new IllegalStateException("the count of readers fails");
                      }
                      return rest.call();
                    }),
                work -> work)
            .startIngest(StageBench.CADENCE, PAUSED);
  }

  @AfterEach
  void stop() {
    bench.close();
    origin.close();
  }

  private List<FollowedFeed> followed(int count) {
    List<FollowedFeed> feeds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FollowedFeed feed =
          bench.subscribed(
              origin.rss(i + ".xml", "", "one"),
              io.feedbridge.gateway.store.subscriptions.Format.ATOM);
      bench.light(feed, Via.POLL);
      feeds.add(feed);
    }
    bench.untilIdle();
    return feeds;
  }

  private void change(int feed) {
    origin.rss(feed + ".xml", "", "two", "one");
  }

  @Test
  void a_ping_of_a_feed_whose_poll_waits_is_fetched_at_once() {
    start();
    List<FollowedFeed> feeds = followed(4);
    feeds.forEach(feed -> bench.light(feed, Via.POLL));
    bench.until(() -> bench.work().waiting() == 3);
    change(3);

    bench.light(feeds.get(3), Via.PING);

    bench.until(() -> bench.work().waiting() == 2);
    assertThat(bench.news(feeds.get(3).topic())).containsExactly("two");
    assertThat(origin.requests("3.xml")).hasSize(2);
  }

  @Test
  void pings_of_many_feeds_of_one_host_are_fetched_at_once_beside_its_polls() {
    start();
    int count = 3 * HostGate.WAITING_POLLS_PER_HOST;
    List<FollowedFeed> feeds = followed(count);
    for (int i = 0; i < count; i++) {
      change(i);
      bench.light(feeds.get(i), Via.POLL);
    }
    for (FollowedFeed feed : feeds) {
      bench.light(feed, Via.PING);
    }

    bench.untilIdle();

    assertThat(feeds).allSatisfy(feed -> assertThat(bench.news(feed.topic())).hasSize(1));
  }

  @Test
  void a_fetch_that_fails_within_the_gateway_gives_its_place_back() {
    start();
    List<FollowedFeed> feeds = followed(8);
    failing.set(4);

    feeds.forEach(feed -> bench.light(feed, Via.PING));
    bench.until(() -> failing.get() <= 0 && bench.work().waiting() <= 4);
    bench.timer().advance(Duration.ofSeconds(2));
    bench.untilIdle();

    for (int i = 0; i < feeds.size(); i++) {
      assertThat(origin.requests(i + ".xml")).hasSize(2);
    }
  }
}
