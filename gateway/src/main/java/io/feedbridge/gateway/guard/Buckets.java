package io.feedbridge.gateway.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A bucket of tokens for each of many keys, which fills with time. The bucket of a key that is not
 * in memory is full, and so is one that was not used for as long as it takes to fill it.
 * Thread-safe.
 */
final class Buckets {

  /** Keys that are remembered; beyond that the longest unused keys are forgotten. */
  static final int MAX_KEYS = 100_000;

  private final Rate rate;
  private final Clock clock;
  private final double perMilli;
  private final Cache<String, Level> levels;

  /** How many tokens there were at a time. */
  private record Level(double tokens, Instant at) {}

  Buckets(Rate rate, Clock clock) {
    this.rate = rate;
    this.clock = clock;
    perMilli = rate.count() / (double) rate.time().toMillis();
    levels =
        Caffeine.newBuilder()
            .maximumSize(MAX_KEYS)
            .expireAfterWrite(rate.time())
            .ticker(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos())
            .build();
  }

  /**
   * Takes some tokens, all or none.
   *
   * @return how long to wait for them; empty if they were taken. More than ever fit are there when
   *     the bucket is full
   */
  Optional<Duration> take(String key, int count) {
    if (rate.isNone() || count == 0) {
      return Optional.empty();
    }
    double wanted = Math.min(count, rate.count());
    double[] missing = {0};
    Instant now = clock.instant();
    levels
        .asMap()
        .compute(
            key,
            (same, before) -> {
              double there = tokens(before, now);
              if (there < wanted) {
                missing[0] = wanted - there;
                return before;
              }
              missing[0] = 0;
              return new Level(there - wanted, now);
            });
    return missing[0] <= 0
        ? Optional.empty()
        : Optional.of(Duration.ofMillis((long) Math.ceil(missing[0] / perMilli)));
  }

  /** How long to wait for a token; empty if there is one. Takes none. */
  Optional<Duration> peek(String key) {
    double there = rate.isNone() ? 1 : tokens(levels.getIfPresent(key), clock.instant());
    return there >= 1
        ? Optional.empty()
        : Optional.of(Duration.ofMillis((long) Math.ceil((1 - there) / perMilli)));
  }

  /** Whether nothing is missing, as of one that was not heard of lately. */
  boolean isFull(String key) {
    return rate.isNone() || tokens(levels.getIfPresent(key), clock.instant()) >= rate.count();
  }

  /** Takes tokens for work already done; the level may fall below zero, by one bucket at most. */
  void charge(String key, long count) {
    if (rate.isNone() || count <= 0) {
      return;
    }
    Instant now = clock.instant();
    levels
        .asMap()
        .compute(
            key,
            (same, before) -> new Level(Math.max(tokens(before, now) - count, -rate.count()), now));
  }

  /** Gives one back. */
  void giveBack(String key) {
    Instant now = clock.instant();
    levels
        .asMap()
        .computeIfPresent(
            key,
            (same, before) -> {
              double there = tokens(before, now) + 1;
              return there >= rate.count() ? null : new Level(there, now);
            });
  }

  private double tokens(@org.jspecify.annotations.Nullable Level level, Instant now) {
    if (level == null) {
      return rate.count();
    }
    long millis = Math.max(0, Duration.between(level.at, now).toMillis());
    return Math.min(rate.count(), level.tokens + millis * perMilli);
  }

  Rate rate() {
    return rate;
  }
}
