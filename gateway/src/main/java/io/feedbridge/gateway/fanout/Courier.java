package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.store.DeliveryOutcome;
import java.util.Optional;
import java.util.OptionalInt;

/** How a document travels in one protocol: a pure translation in both directions. */
interface Courier {

  /**
   * The request that brings a subscriber what it misses.
   *
   * @param after the newest event that it has
   * @param retries how often this document was tried already
   * @return empty if the events are no news to it, so that it counts as served
   */
  Optional<Call> call(Recipient recipient, Bundle bundle, long after, int retries);

  /** What an answer means: delivered, refused, or gone. */
  DeliveryOutcome judge(Recipient recipient, Reply reply);

  /** Why an answer is no success, for the operator; may hold what the receiver said, quoted. */
  default String refusal(Recipient recipient, Reply reply) {
    return "HTTP " + reply.status();
  }

  /** For how many people the subscriber says it stands, where the protocol has a way to. */
  default OptionalInt readers(Reply reply) {
    return OptionalInt.empty();
  }

  /** How often a document is tried, and what becomes of whoever does not take it. */
  RetryPolicy retries();
}
