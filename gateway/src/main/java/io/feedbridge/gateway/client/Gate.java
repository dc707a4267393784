package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.WebAddress;
import java.net.InetAddress;

/**
 * Has the last word on each request, when it is known to which address it would go. Called on event
 * loops: never blocks; thread-safe.
 */
public interface Gate {

  /** Lets everything pass. */
  Gate OPEN =
      new Gate() {
        @Override
        public Verdict judge(Departure departure) {
          return Verdict.PASS;
        }

        @Override
        public void wanted(Departure departure) {
          // Nothing was counted.
        }
      };

  /** The gate's decision on a request. */
  enum Verdict {
    PASS,
    /** It must never go there. */
    DENIED,
    /** Too many like it went there lately. */
    TOO_OFTEN,
    /** Nothing goes anywhere any more. */
    CLOSED
  }

  /** The party that asked for a request. */
  enum Asked {
    /** The receiver has shown that it wants such requests, or serves the public. */
    THERE,
    /** A stranger says that the receiver wants the request; the answer will show it. */
    BY_A_STRANGER,
    /** A stranger renews a subscription that the receiver confirmed before. */
    BY_A_SUBSCRIBER,
    /** A server has redirected the gateway to another server. */
    BY_A_REDIRECT
  }

  /**
   * A request that is about to go out.
   *
   * @param url of this hop
   * @param host of it, as {@link WebAddress} has it
   * @param again whether the same request was judged before, for another address of the host or
   *     another connection
   */
  record Departure(
      Purpose purpose, String url, String host, InetAddress address, Asked asked, boolean again) {}

  /**
   * Whether requests may go out at all now. Asked once more when a connection is there that was
   * opened for a request: it counts for no budget, unlike {@link #judge}.
   */
  default boolean isOpen() {
    return true;
  }

  /** Whether it may go; it goes at once if so, or as soon as a connection is open. */
  Verdict judge(Departure departure);

  /** The answer to one that a stranger asked for has shown that it was wanted. */
  void wanted(Departure departure);
}
