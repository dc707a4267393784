package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * Feeds that are gone and whose WebSub subscribers are not all queued for the message yet (rule
 * H10). Each such feed has one denial. The transaction that records that the feed is gone makes the
 * denial. The transaction that records that the feed is back removes it, with its remaining
 * messages.
 */
public interface Denials {

  /** Whether there is a denial. */
  boolean any();

  /**
   * Queues a message ({@link Verification.Mode#DENIED}) for the next subscribers of such feeds,
   * feed by feed in time slices. A subscriber with a waiting request of its own gets none. The
   * subscriptions stay: when the feed comes back, they get its new entries.
   *
   * @param most messages that may wait for their first attempt
   * @return how many messages were queued
   */
  CompletableFuture<Integer> queue(int most, Instant now);
}
