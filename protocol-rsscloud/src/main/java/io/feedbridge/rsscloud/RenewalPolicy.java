package io.feedbridge.rsscloud;

import java.time.Duration;
import java.time.Instant;

/**
 * When an aggregator registers again: "you must renew your subscription every 24 hours because they
 * expire after 25 hours". Spread over an hour, so that many feeds registered together do not call
 * their clouds together for ever.
 */
public final class RenewalPolicy {

  /** The least time after a registration. */
  public static final Duration EARLIEST = Duration.ofHours(23);

  /** The bound that the time after a registration stays below. */
  public static final Duration LATEST = Duration.ofHours(24);

  private RenewalPolicy() {}

  /**
   * When to renew.
   *
   * @param registeredAt when the cloud last accepted
   * @param random in [0, 1), drawn anew each time
   * @throws IllegalArgumentException if it is outside of that
   */
  public static Instant renewAt(Instant registeredAt, double random) {
    if (!(random >= 0 && random < 1)) {
      throw new IllegalArgumentException("random must be in [0, 1), is " + random);
    }
    long spread = LATEST.minus(EARLIEST).toMillis();
    return registeredAt.plus(EARLIEST).plusMillis((long) (spread * random));
  }
}
