package io.feedbridge.gateway.attempts;

import io.feedbridge.gateway.store.DeliveryOutcome;

/** An attempt whose outcome is not known yet. Safe for use by several threads. */
public final class RunningAttempt {

  private final Attempts attempts;
  private final AttemptSet set;
  private final int slot;
  private final long id;
  private final long since = System.nanoTime();

  RunningAttempt(Attempts attempts, AttemptSet set, int slot, long id) {
    this.attempts = attempts;
    this.set = set;
    this.slot = slot;
    this.id = id;
  }

  /**
   * Records the outcome; has no effect if so many attempts began meanwhile that the slot is taken.
   *
   * @param status of the answer; 0 if there was none
   */
  public void ended(DeliveryOutcome outcome, int status) {
    long millis = (System.nanoTime() - since) / 1_000_000;
    if (set.end(slot, id, Fields.ended(outcome, status, millis))) {
      attempts.changed(set);
    }
  }
}
