package io.feedbridge.gateway.attempts;

import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to deliver, as it is on record.
 *
 * @param id grows with each attempt of any subscription, across restarts too
 * @param eventId the newest event of the document; 0 for a document without an event
 * @param number of attempts at this document, from 1
 * @param at when it began
 * @param bytes of the document
 * @param outcome absent while it is under way
 * @param status of the answer; 0 if there was none
 * @param took until the outcome was known; absent while it is under way, and where that was cut off
 *     by a crash
 */
public record Attempt(
    long id,
    long subscriptionId,
    long eventId,
    int number,
    Kind kind,
    Instant at,
    int bytes,
    @Nullable DeliveryOutcome outcome,
    int status,
    @Nullable Duration took) {

  /** Why something was sent. */
  public enum Kind {
    /** A round brought a new event. */
    ROUND,
    /** The subscriber had missed events. */
    CATCH_UP,
    /** The subscriber wants digests. */
    DIGEST,
    /** An endpoint was sent the next events of the log. */
    LOG,
    /** An endpoint was asked whether it wants this. */
    VERIFICATION,
    /** An operator tried an endpoint out. */
    TEST,
    /** An operator had an event sent once more. */
    RESENT
  }
}
