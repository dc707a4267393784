package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** When leases are renewed. Safe for use by several threads. */
record Renewals(UpstreamSubscriptions store) {

  /** Renewals that may become due at once. */
  static final int MAX_AT_ONCE = 64;

  /** Renewals that become due at once when there are {@link #MAX_AT_ONCE}: 20 in a second. */
  static final int PER_TICK = 5;

  static final Duration TICK = Duration.ofMillis(250);

  /** The part of a lease that must be left when a renewal that was put off is due. */
  private static final Duration MARGIN = Duration.ofMinutes(15);

  /**
   * How long a renewal waits for its next try at most; sooner where little of the lease is left.
   */
  private static final Duration PAUSE = Duration.ofMinutes(5);

  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(10);

  /** Tries that the rest of a lease has room for at least, as long as that is not too often. */
  private static final int TRIES_LEFT = 4;

  /**
   * Puts renewals off if many are due. After a long stop, say, an endpoint is not to meet all
   * renewals at once. Blocks.
   *
   * @return whether a renewal was put off
   */
  boolean spread(List<UpstreamSubscription> due, Instant now) {
    return due.stream().filter(following -> following.state() == State.ACTIVE).count()
            >= MAX_AT_ONCE
        && store.spreadRenewals(now, PER_TICK, TICK, MARGIN).join() > 0;
  }

  /** The next try: several times before the lease ends, and then, to find that it has. */
  static Instant next(@Nullable Instant leaseEnds, Instant now) {
    if (leaseEnds == null) {
      return now.plus(PAUSE);
    }
    Duration share = Duration.between(now, leaseEnds).dividedBy(TRIES_LEFT);
    Duration pause = share.compareTo(PAUSE) < 0 ? share : PAUSE;
    Instant next = now.plus(pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause);
    return leaseEnds.isAfter(now) && next.isAfter(leaseEnds) ? leaseEnds : next;
  }
}
