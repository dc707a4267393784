package io.feedbridge.gateway.delivery.send;

import java.time.Instant;

/** The next step for a document that a subscriber did not take. */
public sealed interface Next {

  /** It is tried again, not before then. */
  record Retry(Instant at) implements Next {}

  /**
   * It is given up, and the cursor moves past it. That is one error of the subscription.
   *
   * @param allowed with so many errors in a row the subscription is to end
   * @param endAt when it then ends, unless a delivery succeeds before
   */
  record PassOver(int allowed, Instant endAt) implements Next {}
}
