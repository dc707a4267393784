package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import java.time.Instant;
import java.util.Objects;
import java.util.OptionalInt;

/** The result of one attempt, and its effect on the subscriber's cursor. */
public sealed interface DeliveryResult {

  /** The result of an attempt that has a policy of retries. */
  static DeliveryResult of(DeliveryRecord ended) {
    return switch (ended.outcome()) {
      case DELIVERED -> new Served(ended.result().readers());
      case GONE -> ENDED;
      case CUT_OFF -> CUT_OFF;
      default -> failed(ended);
    };
  }

  /** The result of an attempt that failed and has a policy of retries. */
  static Failed failed(DeliveryRecord ended) {
    return new Failed(ended.outcome(), ended.error(), Objects.requireNonNull(ended.next()));
  }

  /** The outcome as counted in metrics. */
  DeliveryOutcome outcome();

  /**
   * The subscriber has the document.
   *
   * @param readers for how many people the subscriber says it stands, if it does
   */
  record Served(OptionalInt readers) implements DeliveryResult {
    @Override
    public DeliveryOutcome outcome() {
      return DeliveryOutcome.DELIVERED;
    }
  }

  /**
   * The subscriber does not have the document, as far as the gateway knows.
   *
   * @param error a few words for the operator; no part of the callback but its host
   * @param next whether the document is tried again
   */
  record Failed(DeliveryOutcome outcome, String error, Next next) implements DeliveryResult {

    /** Whether it was a try at all: a request that the gateway had no room for was not. */
    public boolean counts() {
      return outcome != DeliveryOutcome.SATURATED;
    }

    /** When the document is tried again; {@code otherwise} if it is not. */
    public Instant retryAt(Instant otherwise) {
      return next instanceof Next.Retry retry ? retry.at() : otherwise;
    }
  }

  /** The receiver wants no more deliveries of this subscription. */
  record Ended() implements DeliveryResult {
    @Override
    public DeliveryOutcome outcome() {
      return DeliveryOutcome.GONE;
    }
  }

  /**
   * The gateway stopped during the request: the result is unknown, and the document is sent again
   * after the restart.
   */
  record CutOff() implements DeliveryResult {
    @Override
    public DeliveryOutcome outcome() {
      return DeliveryOutcome.CUT_OFF;
    }
  }

  DeliveryResult SERVED = new Served(OptionalInt.empty());
  DeliveryResult ENDED = new Ended();
  DeliveryResult CUT_OFF = new CutOff();
}
