package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.store.DeliveryOutcome;
import java.time.Instant;
import java.util.OptionalInt;

/** What came of a try, and what it means for the subscriber's cursor. */
sealed interface Verdict {

  /** The same as a class of few. */
  DeliveryOutcome outcome();

  /**
   * It has the document.
   *
   * @param readers for how many people the subscriber says it stands, if it does
   */
  record Served(OptionalInt readers) implements Verdict {
    @Override
    public DeliveryOutcome outcome() {
      return DeliveryOutcome.DELIVERED;
    }
  }

  /**
   * It has not, as far as the gateway knows.
   *
   * @param error a few words for the operator; no part of the callback but its host
   * @param next what becomes of the document
   */
  record Failed(DeliveryOutcome outcome, String error, Next next) implements Verdict {

    /** Whether it was a try at all: a request that the gateway had no room for was not. */
    boolean counts() {
      return outcome != DeliveryOutcome.SATURATED;
    }

    /** When the document is tried again; {@code otherwise} if it is not. */
    Instant retryAt(Instant otherwise) {
      return next instanceof Next.Retry retry ? retry.at() : otherwise;
    }
  }

  /** It wants no more of this subscription. */
  record Ended() implements Verdict {
    @Override
    public DeliveryOutcome outcome() {
      return DeliveryOutcome.GONE;
    }
  }

  /**
   * The gateway stopped in the middle: nothing is known, and after the restart it is sent again.
   */
  record CutOff() implements Verdict {
    @Override
    public DeliveryOutcome outcome() {
      return DeliveryOutcome.CUT_OFF;
    }
  }

  Verdict SERVED = new Served(OptionalInt.empty());
  Verdict ENDED = new Ended();
  Verdict CUT_OFF = new CutOff();
}
