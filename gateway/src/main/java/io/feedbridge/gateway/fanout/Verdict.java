package io.feedbridge.gateway.fanout;

import java.time.Duration;
import java.util.Optional;

/** What a subscriber's answer means for its cursor. */
sealed interface Verdict {

  /** It has the document. */
  record Served() implements Verdict {}

  /**
   * It has not, as far as the gateway knows.
   *
   * @param error a few words for the operator
   * @param retryAfter how long the subscriber asked to be left alone
   */
  record Failed(String error, Optional<Duration> retryAfter) implements Verdict {}

  /** It wants no more of this subscription. */
  record Ended() implements Verdict {}

  /**
   * The gateway stopped in the middle: nothing is known, and after the restart it is sent again.
   */
  record CutOff() implements Verdict {}

  Verdict SERVED = new Served();
  Verdict ENDED = new Ended();
  Verdict CUT_OFF = new CutOff();
}
