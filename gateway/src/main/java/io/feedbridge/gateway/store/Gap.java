package io.feedbridge.gateway.store;

import java.time.Instant;

/**
 * Events that a subscriber was not sent because it was too far behind (rule L13). Of a document
 * that was under way just then it may have got some after all.
 *
 * @param after the newest event that it was known to have
 * @param upTo the feed's newest event at that time, after which it goes on
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

  /** Why a subscriber was not sent what it missed. */
  public enum Reason {
    /** The oldest event it missed was too old. */
    TOO_FAR_BEHIND,
    /** The log is no longer kept that far back. */
    RETENTION
  }
}
