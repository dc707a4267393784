package io.feedbridge.gateway.ingest.throttle;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * A budget for each of many keys that fills again evenly. It may be overspent once, by as much as
 * it holds at most, so that no wait is longer than its period. Keys that are used rarely are
 * forgotten when their budget is full again. Safe for use by several threads.
 *
 * @param <K> the key of a budget
 */
final class Allowances<K> {

  private static final int MAX_KEYS = 100_000;

  private final double amount;
  private final Duration period;
  private final Cache<K, Level> levels;

  /**
   * Full budgets.
   *
   * @param period in which an empty budget fills
   */
  Allowances(double amount, Duration period, Clock clock) {
    this.amount = amount;
    this.period = period;
    levels =
        Caffeine.newBuilder()
            .maximumSize(MAX_KEYS)
            .expireAfterWrite(period.multipliedBy(2))
            .ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
            .build();
  }

  private record Level(double left, Instant at) {}

  /** The rest of the budget, negative if it was overspent. */
  double left(K key, Instant now) {
    Level level = levels.getIfPresent(key);
    return level == null ? amount : left(level, now);
  }

  private double left(Level level, Instant now) {
    double passed = Math.max(0, Duration.between(level.at, now).toMillis());
    return Math.min(amount, level.left + amount * passed / period.toMillis());
  }

  boolean isFull(K key, Instant now) {
    return left(key, now) >= amount;
  }

  void spend(K key, double cost, Instant now) {
    levels
        .asMap()
        .compute(
            key,
            (same, level) ->
                new Level(
                    Math.max(-amount, (level == null ? amount : left(level, now)) - cost), now));
  }

  /** When so much is left at the latest; now if it is. */
  Instant when(K key, double needed, Instant now) {
    double missing = needed - left(key, now);
    return missing <= 0 ? now : now.plus(time(missing));
  }

  /** The time in which this much of the budget fills again. */
  Duration time(double cost) {
    return Duration.ofMillis((long) Math.ceil(period.toMillis() * cost / amount));
  }
}
