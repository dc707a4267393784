package io.feedbridge.gateway.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * When a failed delivery is tried again: growing pauses with full jitter, so that the subscribers
 * of a host that comes back do not all call at once.
 */
public final class BackOff {

  private static final List<Duration> PAUSES =
      List.of(
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofMinutes(10),
          Duration.ofMinutes(30),
          Duration.ofHours(1),
          Duration.ofHours(2));

  /** Not less than this, however the jitter falls. */
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  /** The longest pause that a subscriber may ask for. */
  public static final Duration LONGEST_RETRY_AFTER = Duration.ofHours(24);

  private final RandomGenerator random;

  public BackOff(RandomGenerator random) {
    this.random = random;
  }

  /**
   * The time of the next attempt.
   *
   * @param failures so far, at least 1
   * @param retryAfter the subscriber's own wish, which is respected up to 24 h
   */
  public Instant next(Instant now, int failures, Optional<Duration> retryAfter) {
    Duration pause = PAUSES.get(Math.min(failures, PAUSES.size()) - 1);
    long spread = pause.minus(SHORTEST).toMillis();
    Instant jittered = now.plus(SHORTEST).plusMillis(random.nextLong(spread + 1));
    return retryAfter
        .map(wish -> wish.compareTo(LONGEST_RETRY_AFTER) > 0 ? LONGEST_RETRY_AFTER : wish)
        .map(now::plus)
        .filter(asked -> asked.isAfter(jittered))
        .orElse(jittered);
  }
}
