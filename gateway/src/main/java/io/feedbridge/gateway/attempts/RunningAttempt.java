package io.feedbridge.gateway.attempts;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import org.jspecify.annotations.Nullable;

/** An attempt whose outcome is not known yet. Safe for use by several threads. */
public final class RunningAttempt {

  private final Attempts attempts;
  private final AttemptSet set;
  private final int slot;
  private final long id;
  private final long subscriptionId;
  private final long atMillis;
  private final Attempt.Kind kind;
  private final long since = System.nanoTime();

  RunningAttempt(
      Attempts attempts,
      AttemptSet set,
      int slot,
      long id,
      long subscriptionId,
      long atMillis,
      Attempt.Kind kind) {
    this.attempts = attempts;
    this.set = set;
    this.slot = slot;
    this.id = id;
    this.subscriptionId = subscriptionId;
    this.atMillis = atMillis;
    this.kind = kind;
  }

  /** Its id on record. */
  public long id() {
    return id;
  }

  /**
   * {@link #ended} for a request that was sent: the request and its answer go on record too, as
   * {@link Attempts} has it.
   *
   * @param call absent if it could not be made
   * @param reply absent if there was none
   * @param failure absent if there was a reply
   */
  public void ended(
      DeliveryOutcome outcome,
      @Nullable Call call,
      @Nullable Reply reply,
      @Nullable Throwable failure) {
    if (call != null && attempts.isKept(kind, outcome)) {
      byte[] exchange = Exchange.of(call, reply, failure).json(ExchangeFile.MAX_BYTES);
      attempts.keep(new ExchangeFile.Kept(id, subscriptionId, atMillis, exchange));
    }
    ended(outcome, reply == null ? 0 : reply.status());
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
