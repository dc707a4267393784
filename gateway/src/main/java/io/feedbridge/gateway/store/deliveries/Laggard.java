package io.feedbridge.gateway.store.deliveries;

import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The one row of a subscription that is not served by rounds at present.
 *
 * @param host the callback's host and port, by which its deliveries are bounded
 * @param cursor the newest event that the subscriber has
 * @param documentEnd the last event of its document while it is {@link State#FIXED} or {@link
 *     State#IN_FLIGHT}; the cursor in the other states
 * @param attempts deliveries in a row that failed
 * @param nextAttemptAt not before this; while no attempt is due, the time until which it rests, or
 *     without meaning
 * @param error why the last attempt failed
 * @param digestAt when the digest was due that it is sent; absent while it is sent events
 */
public record Laggard(
    long subscriptionId,
    long feedId,
    String host,
    long cursor,
    State state,
    long documentEnd,
    int attempts,
    Instant nextAttemptAt,
    @Nullable String error,
    @Nullable Instant digestAt) {

  /**
   * The state of a laggard.
   *
   * <pre>
   *            a round wakes it            it is claimed             the request succeeded
   *   PARKED ──────────────────▶ BEHIND ───────────────▶ IN_FLIGHT ──────────────────────▶ PARKED, BEHIND
   *                                                      │ ▲     │                         (FIXED in a replay)
   *                                   the request failed ▼ │     └─ it jumps ─▶ JUMPED ──▶ PARKED, BEHIND
   *                                                      FIXED                  the request ended
   * </pre>
   *
   * <p>A laggard that is not in flight jumps to {@code PARKED}.
   */
  public enum State {
    /**
     * The subscriber misses no event, or only events of the feed's next round. That round takes the
     * laggard back (rule L5), unless the laggard rests.
     */
    PARKED,
    /** It misses events. Its document is made of as many as fit when it is claimed. */
    BEHIND,
    /**
     * It misses events, and the end of its document is fixed (rule L12): the document is repeated,
     * or is the next event of a replay.
     */
    FIXED,
    /** A request is under way, during which the laggard is not due (rule L3). */
    IN_FLIGHT,
    /** A request is under way whose outcome no longer matters, because the laggard jumped. */
    JUMPED;

    /** The state after a jump to the present. */
    public State jumped() {
      return switch (this) {
        case PARKED, BEHIND, FIXED -> PARKED;
        case IN_FLIGHT, JUMPED -> JUMPED;
      };
    }
  }

  /** The row of a subscription that misses the events after one, and may be tried from then on. */
  public static Laggard behind(
      Subscription subscription, long cursor, Instant nextAttemptAt, @Nullable String why) {
    return new Laggard(
        subscription.id(),
        subscription.feedId(),
        CallbackHost.of(subscription.callback()),
        cursor,
        State.BEHIND,
        cursor,
        0,
        nextAttemptAt,
        why,
        null);
  }

  /** The row of a subscription that has the events up to one, and rests until then. */
  public static Laggard resting(Subscription subscription, long cursor, Instant until) {
    return behind(subscription, cursor, until, null).parked();
  }

  /** This laggard past an event, with no failures; once it misses no more it rests until then. */
  public Laggard resting(long event, Instant until) {
    return past(event, until, null);
  }

  /** This laggard past an event, with no failures. */
  public Laggard past(long event, Instant now, @Nullable String why) {
    return new Laggard(subscriptionId, feedId, host, event, State.BEHIND, event, 0, now, why, null);
  }

  /** This laggard while it misses no event, or only events of the feed's next round (rule L5). */
  public Laggard parked() {
    return with(State.PARKED, cursor, attempts, nextAttemptAt, error);
  }

  /** This laggard with its document fixed (rule L12). */
  public Laggard fixed(long end) {
    return with(State.FIXED, end, attempts, nextAttemptAt, error);
  }

  /** This laggard while a request with the document is under way. */
  public Laggard inFlight(long end) {
    return with(State.IN_FLIGHT, end, attempts, nextAttemptAt, error);
  }

  /** This laggard after its document was not taken. */
  public Laggard failed(long end, int inARow, Instant again, String why) {
    return with(State.FIXED, end, inARow, again, why);
  }

  private Laggard with(State now, long end, int inARow, Instant next, @Nullable String why) {
    return new Laggard(subscriptionId, feedId, host, cursor, now, end, inARow, next, why, digestAt);
  }
}
