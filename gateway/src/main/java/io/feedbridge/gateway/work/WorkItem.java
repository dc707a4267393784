package io.feedbridge.gateway.work;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A piece of work that ingest has to do for a feed. */
public sealed interface WorkItem {

  /** The id of the item's feed. */
  long feedId();

  /** The way by which the item arrived. */
  Via via();

  /** When intake accepted the item. */
  Instant receivedAt();

  /**
   * The IP address of the caller that sent the item, or the URL of the hub or cloud; null if the
   * gateway itself made the item.
   */
  @Nullable String sender();

  /** A reported change of the feed, or a due poll. One fetch serves any number of light items. */
  record Light(long feedId, Via via, Instant receivedAt, @Nullable String sender)
      implements WorkItem {

    /** An item that the gateway itself made. */
    public Light(long feedId, Via via, Instant receivedAt) {
      this(feedId, via, receivedAt, null);
    }
  }

  /**
   * A trusted delivery that contains the content of the feed.
   *
   * @param contentType the content type of the delivery, if it had one
   * @param body the exact bytes; never changed after construction
   */
  // Bodies are carried, never compared.
  @SuppressWarnings("ArrayRecordComponent")
  record Fat(
      long feedId,
      Via via,
      Instant receivedAt,
      @Nullable String contentType,
      byte[] body,
      @Nullable String sender)
      implements WorkItem {

    /** A delivery of which the sender is not known. */
    public Fat(
        long feedId, Via via, Instant receivedAt, @Nullable String contentType, byte[] body) {
      this(feedId, via, receivedAt, contentType, body, null);
    }
  }
}
