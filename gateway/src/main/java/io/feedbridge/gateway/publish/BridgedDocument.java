package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A bridged feed as it is served.
 *
 * @param bytes never changed
 * @param self its own URL
 * @param hub the hub that it offers
 * @param lastModified when it changed last; a later second for each change
 * @param head the feed's newest event that is in it
 * @param bodyHash of the feed's bytes at that time
 * @param whole whether the feed's bytes were there; without them its newest entries alone are in it
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record BridgedDocument(
    byte[] bytes,
    String contentType,
    String tag,
    String self,
    String hub,
    Instant lastModified,
    long head,
    @Nullable String bodyHash,
    boolean whole) {

  /** Beside its bytes. */
  private static final int OVERHEAD = 512;

  boolean isOf(FollowedFeed feed) {
    return whole && head == feed.head() && Objects.equals(bodyHash, feed.validators().bodyHash());
  }

  int weight() {
    return OVERHEAD + bytes.length;
  }
}
