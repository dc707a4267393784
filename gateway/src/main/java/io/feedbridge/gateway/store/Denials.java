package io.feedbridge.gateway.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Feeds that turned out to be gone, as long as not all of their WebSub subscribers were told so.
 * The transaction that records it makes one; one that finds the feed back ends it.
 */
public interface Denials {

  /** Those that are open, in no order that matters. */
  List<Open> open(int limit);

  /** Subscriptions up to an id were told. */
  CompletableFuture<Void> told(long feedId, long upTo);

  /** Everybody was told. */
  CompletableFuture<Void> end(long feedId);

  /**
   * One of them.
   *
   * @param told subscriptions up to this id were told
   * @param reason for people
   */
  record Open(long feedId, long told, String reason) {}
}
