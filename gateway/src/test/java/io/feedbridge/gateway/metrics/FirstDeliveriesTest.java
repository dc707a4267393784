package io.feedbridge.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.schedule.ManualTimer;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The time from a ping to the first delivery of the change. */
class FirstDeliveriesTest {

  private static final Instant START = Instant.parse("2026-11-20T12:00:00Z");
  private static final long FEED = 7;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final ManualTimer timer = new ManualTimer(START);
  private final FirstDeliveries times = new FirstDeliveries(registry, timer.clock());

  private Timer measured() {
    return registry.get("feedbridge.first.delivery").timer();
  }

  @Test
  void the_first_delivery_counts_and_no_later_one() {
    times.pinged(FEED, START.minusSeconds(2), 0);
    times.delivered(FEED, 1);
    times.delivered(FEED, 1);

    assertThat(measured().count()).isEqualTo(1);
    assertThat(measured().totalTime(TimeUnit.SECONDS)).isEqualTo(2);
  }

  @Test
  void a_delivery_of_an_older_event_does_not_count() {
    times.pinged(FEED, START.minusSeconds(2), 5);
    times.delivered(FEED, 5);

    assertThat(measured().count()).isZero();

    times.delivered(FEED, 6);

    assertThat(measured().count()).isEqualTo(1);
  }

  @Test
  void pings_before_the_first_delivery_count_from_the_first_of_them() {
    times.pinged(FEED, START.minusSeconds(9), 5);
    times.pinged(FEED, START.minusSeconds(2), 6);
    times.delivered(FEED, 7);

    assertThat(measured().totalTime(TimeUnit.SECONDS)).isEqualTo(9);
  }

  @Test
  void a_delivery_of_another_feed_or_of_a_poll_does_not_count() {
    times.pinged(FEED, START, 0);
    times.delivered(FEED + 1, 1);

    assertThat(measured().count()).isZero();
  }
}
