package io.feedbridge.gateway.store;

/**
 * How a subscription is doing, in whichever protocol.
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
 * <p>An rssCloud subscription, whose handler is tested before anything is kept, begins as ACTIVE. A
 * renewal leaves the state as it is. Of what is over nothing is kept but what the log says.
 */
public enum SubscriptionState {
  /** It waits for its callback to confirm it. */
  PENDING,
  /** It has what there is, or is being served by a round. */
  ACTIVE,
  /** It missed something, and is tried again. */
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
      case PENDING, ACTIVE, LAGGING -> true;
      case DENIED, UNCONFIRMED, EXPIRED, ENDED, FAILED -> false;
    };
  }
}
