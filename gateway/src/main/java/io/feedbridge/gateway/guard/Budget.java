package io.feedbridge.gateway.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Bounds the unwanted requests for each key; a key with wanted requests lately gets {@link
 * #MORE_WHERE_WANTED} times as many. Wanted requests do not count. Thread-safe.
 */
final class Budget {

  /** A key with wanted requests lately may have many under way, with mistakes among them. */
  static final int MORE_WHERE_WANTED = 10;

  private static final Duration LATELY = Duration.ofHours(1);

  private final Buckets strangers;
  private final Buckets friends;
  private final Cache<String, Boolean> wantedLately;

  Budget(Rate rate, Clock clock) {
    strangers = new Buckets(rate, clock);
    friends = new Buckets(rate.times(MORE_WHERE_WANTED), clock);
    wantedLately =
        Caffeine.newBuilder()
            .maximumSize(Buckets.MAX_KEYS)
            .expireAfterWrite(LATELY)
            .ticker(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos())
            .build();
  }

  private Buckets of(String key) {
    return isWanted(key) ? friends : strangers;
  }

  /** Whether some were wanted lately. */
  boolean isWanted(String key) {
    return wantedLately.getIfPresent(key) != null;
  }

  boolean take(String key) {
    return takeOrWait(key, 1).isEmpty();
  }

  /** Takes some, or says how long to wait for them. */
  Optional<Duration> takeOrWait(String key, int count) {
    return of(key).take(key, count);
  }

  Optional<Duration> wait(String key) {
    return of(key).peek(key);
  }

  void wanted(String key) {
    strangers.giveBack(key);
    friends.giveBack(key);
    know(key);
  }

  /** Some were wanted lately; gives none back. */
  void know(String key) {
    wantedLately.put(key, true);
  }
}
