package io.feedbridge.gateway.store.subscriptions;

/**
 * The state of a subscription, in each protocol.
 *
 * <pre>
 *            asked for              confirmed              missed something
 *   (none) ────────────▶ PENDING ─────────────▶ ACTIVE ──────────────────────▶ LAGGING
 *                           │                     │ ▲                            │ │
 *   not confirmed           ├──▶ UNCONFIRMED      │ └──────── has it all ────────┘ │
 *   refused, with reason    └──▶ DENIED           │                                │
 *                                                 ├────────────────────────────────┘
 *   the operator has ended it          DENIED ◀───┤
 *   its lease is over                  EXPIRED ◀──┤
 *   unsubscribed, or answered 410      ENDED ◀────┤
 *   three errors in a row (rssCloud)   FAILED ◀───┘
 * </pre>
 *
 * <p>An active subscription whose topic could not be read yet is WAITING. An rssCloud subscription
 * begins as ACTIVE, because its handler is tested before it is stored. A renewal leaves the state
 * as it is. Of an ended subscription the store keeps when and why it ended, for as long as the log
 * is kept.
 */
public enum SubscriptionState {
  /** It waits for its callback to confirm it. */
  PENDING,
  /** It has all events, or is being served by a round. */
  ACTIVE,
  /** It is active, and its topic was never read: the gateway goes on to fetch it. */
  WAITING,
  /** It missed an event, and is tried again. */
  LAGGING,
  /** The gateway refused it or has ended it; over WebSub its callback is told why. */
  DENIED,
  /** Its callback did not confirm that it was meant. */
  UNCONFIRMED,
  /** Its lease ended without a renewal. */
  EXPIRED,
  /** Its subscriber wanted no more of it. */
  ENDED,
  /** Too many notifications in a row did not reach it. */
  FAILED;

  /** Whether it is in the store. */
  public boolean isKept() {
    return switch (this) {
      case PENDING, ACTIVE, WAITING, LAGGING -> true;
      case DENIED, UNCONFIRMED, EXPIRED, ENDED, FAILED -> false;
    };
  }
}
