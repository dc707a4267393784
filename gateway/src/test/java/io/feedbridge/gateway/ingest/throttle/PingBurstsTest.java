package io.feedbridge.gateway.ingest.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** When a ping waits for more of its kind (rule L10). */
class PingBurstsTest {

  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final long FEED = 7;

  private final PingBursts bursts = new PingBursts(PingBursts.USUAL, new ManualTimer(NOW).clock());

  private static List<WorkItem> pings(long... millis) {
    List<WorkItem> pings = new ArrayList<>();
    for (long at : millis) {
      pings.add(new WorkItem.Light(FEED, Via.PING, NOW.plusMillis(at)));
    }
    return pings;
  }

  @Test
  void the_first_ping_waits_for_nothing() {
    assertThat(bursts.waitUntil(FEED, pings(0), NOW)).isEmpty();
  }

  @Test
  void one_soon_after_a_fetch_waits_until_it_is_quiet() {
    bursts.fetched(FEED, NOW);

    assertThat(bursts.waitUntil(FEED, pings(100, 300), NOW.plusMillis(300)))
        .contains(NOW.plusMillis(720));
    assertThat(bursts.waitUntil(FEED, pings(100, 300), NOW.plusMillis(720))).isEmpty();
  }

  @Test
  void a_few_pings_without_end_are_waited_for_5_s_and_no_longer() {
    bursts.fetched(FEED, NOW);

    assertThat(bursts.waitUntil(FEED, pings(100, 5_090), NOW.plusMillis(5_090)))
        .contains(NOW.plusMillis(5_200));
    assertThat(bursts.waitUntil(FEED, pings(100, 5_090), NOW.plusMillis(5_200))).isEmpty();
  }

  @Test
  void the_more_there_are_the_longer_the_last_is_waited_for_up_to_15_s() {
    bursts.fetched(FEED, NOW);
    long[] times = LongStream.range(0, 900).map(i -> 100 + 16 * i).toArray();
    Instant last = NOW.plusMillis(100 + 16 * 899);

    assertThat(bursts.waitUntil(FEED, pings(times), last)).contains(NOW.plusMillis(15_100));
    assertThat(bursts.waitUntil(FEED, pings(LongStream.range(1, 100).toArray()), NOW))
        .contains(NOW.plusMillis(1_099));
  }

  @Test
  void one_long_after_a_fetch_or_of_another_feed_waits_for_nothing() {
    bursts.fetched(FEED, NOW);

    assertThat(bursts.waitUntil(FEED, pings(1_000), NOW.plusMillis(1_000))).isEmpty();
    assertThat(bursts.waitUntil(FEED + 1, pings(10), NOW.plusMillis(10))).isEmpty();
  }

  @Test
  void no_pauses_mean_that_nothing_ever_waits() {
    PingBursts none =
        new PingBursts(
            new PingBursts.Pauses(Duration.ZERO, Duration.ZERO, Duration.ZERO),
            new ManualTimer(NOW).clock());
    none.fetched(FEED, NOW);

    assertThat(none.waitUntil(FEED, pings(0), NOW)).isEmpty();
  }
}
