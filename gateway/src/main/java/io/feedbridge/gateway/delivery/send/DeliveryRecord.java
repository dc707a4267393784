package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that has ended. Numbers, live log, lines of the log and cursors are made of it.
 *
 * @param id of the attempt on record
 * @param status of the answer; 0 if there was none
 * @param failure why there was no answer; null if there was one
 * @param next whether the document is tried again; null where nothing failed, and for messages to
 *     endpoints
 */
public record DeliveryRecord(
    DeliveryAttempt attempt,
    long id,
    CallResult result,
    int status,
    Duration took,
    @Nullable Throwable failure,
    @Nullable Next next) {

  public DeliveryOutcome outcome() {
    return result.outcome();
  }

  public boolean delivered() {
    return outcome() == DeliveryOutcome.DELIVERED;
  }

  /** A few words on the failure; empty where there was none. */
  public String error() {
    return result.error();
  }
}
