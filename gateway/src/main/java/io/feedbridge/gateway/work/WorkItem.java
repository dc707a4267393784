package io.feedbridge.gateway.work;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One thing that ingest has to do for a feed. */
public sealed interface WorkItem {

  /** The feed it is about. */
  long feedId();

  /** How it came in. */
  Via via();

  /** When intake accepted it. */
  Instant receivedAt();

  /**
   * Somebody says the feed changed, or it is time to look: one fetch serves any number of these.
   */
  record Light(long feedId, Via via, Instant receivedAt) implements WorkItem {}

  /**
   * A believed delivery that brought the content along.
   *
   * @param contentType the delivery's own, if it had one
   * @param body the exact bytes; never changed after construction
   */
  // Bodies are carried, never compared.
  @SuppressWarnings("ArrayRecordComponent")
  record Fat(long feedId, Via via, Instant receivedAt, @Nullable String contentType, byte[] body)
      implements WorkItem {}
}
