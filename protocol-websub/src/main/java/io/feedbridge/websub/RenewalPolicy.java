package io.feedbridge.websub;

import java.time.Duration;

/** When a subscriber renews a lease: when between a quarter and a tenth of it is left. */
public final class RenewalPolicy {
  /** The lease that counts for a longer lease, or for none. */
  public static final Duration LONGEST_LEASE = Duration.ofDays(14);

  private static final double EARLIEST = 0.75;
  private static final double LATEST = 0.9;

  /** Keeps a hub that grants next to nothing from being asked without a pause. */
  private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);

  private RenewalPolicy() {}

  /**
   * How long after the lease was granted to renew it.
   *
   * @param random in [0, 1), so that subscriptions made together are not renewed together
   */
  public static Duration renewAfter(Duration lease, double random) {
    if (!(random >= 0 && random < 1)) {
      throw new IllegalArgumentException("Not in [0, 1): " + random);
    }
    Duration counted = lease.compareTo(LONGEST_LEASE) > 0 ? LONGEST_LEASE : lease;
    double share = EARLIEST + (LATEST - EARLIEST) * random;
    Duration wait = Duration.ofMillis((long) (counted.toMillis() * share));
    return wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait;
  }
}
