package io.feedbridge.gateway.ingest.throttle;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Gives fetches that wait for the same budget times one after the other, so that they do not all
 * come again at once. Safe for use by several threads.
 */
final class WaitingLine {

  private static final int MAX_KEYS = 50_000;
  private static final Duration REMEMBERED = Duration.ofDays(1);

  /** By budget, the time at which the last fetch of its line comes again. */
  private final Cache<String, Instant> last;

  WaitingLine(Clock clock) {
    last =
        Caffeine.newBuilder()
            .maximumSize(MAX_KEYS)
            .expireAfterWrite(REMEMBERED)
            .ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
            .build();
  }

  /**
   * The time of one more fetch.
   *
   * @param free when the budget has room for the first of them
   * @param step from one fetch to the next
   * @param latest a fetch whose time would be later takes no place in the line
   */
  synchronized Instant next(String budget, Instant free, Duration step, Instant latest) {
    Instant before = last.getIfPresent(budget);
    Instant behind = before == null ? free : before.plus(step);
    Instant next = behind.isAfter(free) ? behind : free;
    if (!next.isAfter(latest)) {
      last.put(budget, next);
    }
    return next;
  }
}
