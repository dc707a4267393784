package io.feedbridge.gateway.client;

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

  /** What becomes of a request. */
  enum Verdict {
    PASS,
    /** It must never go there. */
    DENIED,
    /** Too many like it went there lately. */
    TOO_OFTEN
  }

  /** Who can be said to have asked for a request. */
  enum Asked {
    /** Whoever is there has shown that he wants such requests, or serves all the world. */
    THERE,
    /** A stranger says that somebody there wants it; the answer will show. */
    BY_A_STRANGER,
    /** A server has sent the gateway on to somebody else's. */
    BY_A_REDIRECT
  }

  /**
   * A request that is about to go out.
   *
   * @param url of this hop
   * @param host of it, as {@link WebAddress} has it
   */
  record Departure(Purpose purpose, String url, String host, InetAddress address, Asked asked) {}

  /** Whether it may go; it goes at once if so. */
  Verdict judge(Departure departure);

  /** The answer to one that a stranger asked for has shown that it was wanted. */
  void wanted(Departure departure);
}
