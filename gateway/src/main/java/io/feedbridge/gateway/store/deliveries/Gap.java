package io.feedbridge.gateway.store.deliveries;

import java.time.Instant;

/**
 * Events that a subscriber was not sent, because it was too far behind (rule L13) or because no
 * document could be made of them. The subscriber may have received some of the events in a document
 * that was in flight at that moment.
 *
 * @param after the newest event that it was known to have
 * @param upTo the newest event that it was not sent; its deliveries continue after this event
 * @param events how many of the feed's events lay between
 */
public record Gap(
    long subscriptionId,
    long feedId,
    long after,
    long upTo,
    long events,
    Instant at,
    Reason reason) {

  /** Gaps on record in all; the oldest are forgotten first. */
  public static final int MAX_KEPT = 10_000;

  /** Why a subscriber did not receive the events of a gap. */
  public enum Reason {
    /** The oldest event it missed was too old. */
    TOO_FAR_BEHIND,
    /** The log is no longer kept that far back. */
    RETENTION,
    /** The gateway failed to make a document of the event. */
    UNMAKEABLE
  }
}
