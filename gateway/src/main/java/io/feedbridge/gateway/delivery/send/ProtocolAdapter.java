package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** How a document travels in one protocol: a pure translation in both directions. */
interface ProtocolAdapter {

  /** A delivery as a whole, from connecting to the end of the answer. */
  Duration TIMEOUT = Duration.ofSeconds(10);

  /** Its part that connecting may take. */
  Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Bytes of an answer that are read and dropped. */
  int MAX_ANSWER = 64 * 1024;

  /**
   * The request that brings a subscriber the events that it misses.
   *
   * @param after the newest event that it has
   * @param retries how often this document was tried already
   * @return empty if the events are no news to it, so that it counts as served
   */
  Optional<Call> call(Recipient recipient, Bundle bundle, long after, int retries);

  /**
   * The meaning of an answer: delivered, refused, or gone.
   *
   * @param now by the system's clock, for an answer that names a time
   */
  CallResult judge(Recipient recipient, Reply reply, Instant now);

  /** How often a document is tried, and the effect on a subscriber that does not take it. */
  RetryPolicy retries();
}
