package io.feedbridge.gateway.store.deliveries;

import java.util.Map;

/**
 * One pass over a feed's healthy subscriptions with the events after {@code from} up to {@code to}.
 *
 * @param checkpoint the highest subscription id below or at which each subscription was served, is
 *     a laggard or is passed over (rule L4)
 * @param passed hosts, named like {@link Laggard#host}, whose subscriptions after an id and up to
 *     the checkpoint are passed over: they were sent nothing and are to become laggards before the
 *     round is closed
 */
public record Round(long feedId, long from, long to, long checkpoint, Map<String, Long> passed) {

  public Round {
    passed = Map.copyOf(passed);
  }

  /** A round that passes over no host. */
  public Round(long feedId, long from, long to, long checkpoint) {
    this(feedId, from, to, checkpoint, Map.of());
  }

  /** The same round at another checkpoint. */
  public Round at(long newCheckpoint, Map<String, Long> nowPassed) {
    return new Round(feedId, from, to, newCheckpoint, nowPassed);
  }
}
