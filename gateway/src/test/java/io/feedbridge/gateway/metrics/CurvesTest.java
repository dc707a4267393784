package io.feedbridge.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.work.Via;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The counts of each minute. */
class CurvesTest {

  private static final Instant START = Instant.parse("2026-11-20T12:00:00Z");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final ManualTimer timer = new ManualTimer(START);
  private final Meters meters = new Meters(registry, timer.clock());
  private final Curves curves = new Curves(registry, meters.firstDeliveries(), timer);

  @AfterEach
  void close() {
    curves.close();
  }

  private void pings(int count) {
    for (int i = 0; i < count; i++) {
      meters.ping(Via.PING, Meters.Ping.ACCEPTED);
    }
  }

  @Test
  void each_minute_has_its_own_counts_and_the_last_has_not_ended() {
    pings(5);
    curves.start();
    pings(2);
    meters.fetch(Meters.Fetch.FAILED, Duration.ZERO);
    meters.fetch(Meters.Fetch.FRESH, Duration.ZERO);
    timer.advance(Curves.STEP);
    meters.delivery(Protocol.WEBSUB, DeliveryOutcome.DELIVERED);
    meters.delivery(Protocol.WEBHOOK, DeliveryOutcome.TIMEOUT);
    meters.event(Via.PING, 3, 1);

    assertThat(curves.since(START))
        .containsExactly(
            new Curves.Point(START, 2, 0, 2, 1, 0, 0, null, null),
            new Curves.Point(START.plus(Curves.STEP), 0, 4, 0, 0, 1, 1, null, null));
    assertThat(curves.since(START.plusSeconds(1))).hasSize(1);
  }

  @Test
  void a_minute_has_the_times_from_its_pings_to_their_first_deliveries() {
    curves.start();
    FirstDeliveries times = meters.firstDeliveries();
    for (int feed = 1; feed <= 100; feed++) {
      times.pinged(feed, START.minusMillis(feed <= 98 ? 100 : 9_000), 0);
      times.delivered(feed, 1);
    }

    assertThat(curves.since(START))
        .singleElement()
        .satisfies(point -> assertThat(point.firstDeliveryP50()).isBetween(90L, 110L))
        .satisfies(point -> assertThat(point.firstDeliveryP99()).isBetween(8_500L, 9_500L));
  }

  @Test
  void a_day_is_kept() {
    curves.start();
    for (int i = 0; i < Curves.MAX_POINTS + 5; i++) {
      pings(1);
      timer.advance(Curves.STEP);
    }

    assertThat(curves.since(Instant.EPOCH))
        .hasSize(Curves.MAX_POINTS + 1)
        .first()
        .isEqualTo(
            new Curves.Point(
                START.plus(Curves.STEP.multipliedBy(5)), 1, 0, 0, 0, 0, 0, null, null));
  }
}
