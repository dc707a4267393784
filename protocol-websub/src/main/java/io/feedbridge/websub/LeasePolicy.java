package io.feedbridge.websub;

import java.time.Duration;
import java.util.Optional;

/**
 * Which leases a hub grants; all are finite (WebSub §5.1).
 *
 * @param min the shortest, at least one second
 * @param standard for subscribers that ask for none
 * @param max the longest
 */
public record LeasePolicy(Duration min, Duration standard, Duration max) {
  /** Leases from one minute to 30 days, and the 10 days that the Recommendation suggests. */
  public static final LeasePolicy DEFAULT =
      new LeasePolicy(Duration.ofMinutes(1), Duration.ofDays(10), Duration.ofDays(30));

  public LeasePolicy {
    if (min.compareTo(Duration.ofSeconds(1)) < 0
        || min.compareTo(standard) > 0
        || standard.compareTo(max) > 0) {
      throw new IllegalArgumentException(
          "Leases must satisfy 1 s <= min <= standard <= max, not "
              + (min + " <= " + standard + " <= " + max));
    }
  }

  /** The lease nearest to the requested one that the policy allows, in whole seconds. */
  public Duration grant(Optional<Duration> requested) {
    Duration wanted = requested.orElse(standard);
    Duration granted = wanted.compareTo(min) < 0 ? min : wanted.compareTo(max) > 0 ? max : wanted;
    return Duration.ofSeconds(granted.toSeconds());
  }
}
