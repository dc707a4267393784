package io.feedbridge.gateway.attempts;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;

/** Calls that brought no answer, as attempts are put on record. */
public final class CallOutcome {

  private CallOutcome() {}

  /** The outcome of a failed call. */
  public static DeliveryOutcome of(Throwable failure) {
    return failure instanceof CallException call ? of(call.failure()) : DeliveryOutcome.UNMAKEABLE;
  }

  private static DeliveryOutcome of(CallException.Failure failure) {
    return switch (failure) {
      case BAD_URL, ADDRESS_REFUSED -> DeliveryOutcome.FORBIDDEN;
      case UNRESOLVED -> DeliveryOutcome.UNRESOLVED;
      case CONNECT -> DeliveryOutcome.CONNECT;
      case TLS -> DeliveryOutcome.TLS;
      case TIMEOUT -> DeliveryOutcome.TIMEOUT;
      case TOO_LARGE, BROKEN -> DeliveryOutcome.BROKEN;
      case TOO_MANY_REDIRECTS -> DeliveryOutcome.REDIRECTS;
      case SATURATED, NO_ROOM, TOO_OFTEN, HELD_BACK -> DeliveryOutcome.SATURATED;
      case CLOSED -> DeliveryOutcome.CUT_OFF;
    };
  }
}
