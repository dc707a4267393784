package io.feedbridge.gateway.metrics;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.ValueAtPercentile;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * The times from pings to the first subscriber or webhook that confirms the change. Where more
 * pings came before that, it counts from the first of them. Safe for use by several threads.
 */
public final class FirstDeliveries {

  /** Feeds whose first delivery is waited for; others are not measured. */
  static final int MAX_WAITING = 10_000;

  /** The longest time that is measured: a feed without subscribers never has a delivery. */
  static final Duration LONGEST = Duration.ofMinutes(10);

  private static final double MEDIAN = 0.5;
  private static final double NEARLY_ALL = 0.99;

  /** The percentiles are of about this time. */
  private static final Duration RECENT = Duration.ofMinutes(1);

  private final Cache<Long, Ping> waiting =
      Caffeine.newBuilder().maximumSize(MAX_WAITING).expireAfterWrite(LONGEST).build();

  private final Timer times;
  private final Clock clock;

  private record Ping(Instant at, long head) {}

  /**
   * Times of the last minute, in milliseconds.
   *
   * @param median empty where nothing was delivered
   * @param nearlyAll 99 % of them are no longer; empty where nothing was delivered
   */
  record Recent(OptionalLong median, OptionalLong nearlyAll) {}

  FirstDeliveries(MeterRegistry registry, Clock clock) {
    this.clock = clock;
    times =
        Timer.builder("feedbridge.first.delivery")
            .description("Time from a ping to the first confirmed delivery of the change")
            .publishPercentiles(MEDIAN, NEARLY_ALL)
            .distributionStatisticExpiry(RECENT)
            .register(registry);
  }

  /**
   * An event that a ping brought is about to be appended.
   *
   * @param at when the ping arrived
   * @param head the feed's newest event before it
   */
  public void pinged(long feedId, Instant at, long head) {
    waiting.asMap().putIfAbsent(feedId, new Ping(at, head));
  }

  /** A document up to an event of the feed was confirmed. */
  public void delivered(long feedId, long event) {
    Ping ping = waiting.getIfPresent(feedId);
    if (ping != null && event > ping.head && waiting.asMap().remove(feedId, ping)) {
      times.record(Duration.between(ping.at, clock.instant()));
    }
  }

  /** Of about the last minute. */
  Recent recent() {
    ValueAtPercentile[] values = times.takeSnapshot().percentileValues();
    return new Recent(milliseconds(values[0]), milliseconds(values[1]));
  }

  private static OptionalLong milliseconds(ValueAtPercentile value) {
    long nanos = (long) value.value();
    return nanos == 0 ? OptionalLong.empty() : OptionalLong.of(Duration.ofNanos(nanos).toMillis());
  }
}
