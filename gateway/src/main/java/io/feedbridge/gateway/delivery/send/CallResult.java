package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.RetryAfter;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The result of one request to a receiver.
 *
 * @param error a few words for the operator; empty where the document was delivered. No part of the
 *     callback but its host
 * @param retryAfter how long the receiver asked to be left alone
 * @param readers for how many people the receiver says it stands, if it does
 */
public record CallResult(
    DeliveryOutcome outcome, String error, Optional<Duration> retryAfter, OptionalInt readers) {

  /** The receiver has the document. */
  public static CallResult delivered(OptionalInt readers) {
    return new CallResult(DeliveryOutcome.DELIVERED, "", Optional.empty(), readers);
  }

  /** The receiver answered with another status than 2xx. */
  static CallResult refused(Reply reply, Instant now) {
    return failed(DeliveryOutcome.REFUSED, "HTTP " + reply.status(), RetryAfter.of(reply, now));
  }

  /** The receiver does not have it. */
  public static CallResult failed(
      DeliveryOutcome outcome, String error, Optional<Duration> retryAfter) {
    return new CallResult(outcome, error, retryAfter, OptionalInt.empty());
  }

  /** The receiver does not have it, and asked for no pause. */
  static CallResult failed(DeliveryOutcome outcome, String error) {
    return failed(outcome, error, Optional.empty());
  }

  /** Whether an attempt failed that may be repeated. */
  boolean isFailure() {
    return switch (outcome) {
      case DELIVERED, GONE, CUT_OFF -> false;
      default -> true;
    };
  }
}
