package io.feedbridge.gateway.delivery.hosts;

import io.feedbridge.gateway.client.address.CallException;
import org.jspecify.annotations.Nullable;

/** The result of a delivery for its host, independent of its result for the subscriber. */
public enum Reachability {
  /** Nothing was sent. */
  NONE,
  /** The host answered, be it with an error. */
  ANSWERED,
  /** It could not be connected to, or did not answer in time. */
  SILENT,
  /** Neither: the connection broke, say, or the call was not allowed to begin. */
  UNCLEAR;

  /**
   * Of a call that has ended.
   *
   * @param failure absent if there was an answer
   */
  public static Reachability of(@Nullable Throwable failure) {
    if (failure == null) {
      return ANSWERED;
    }
    return failure instanceof CallException call ? of(call.failure()) : UNCLEAR;
  }

  private static Reachability of(CallException.Failure failure) {
    return switch (failure) {
      case UNRESOLVED, CONNECT, TLS, TIMEOUT -> SILENT;
      case TOO_LARGE, TOO_MANY_REDIRECTS -> ANSWERED;
      case BAD_URL, ADDRESS_REFUSED, BROKEN, SATURATED, NO_ROOM, TOO_OFTEN, HELD_BACK, CLOSED ->
          UNCLEAR;
    };
  }
}
