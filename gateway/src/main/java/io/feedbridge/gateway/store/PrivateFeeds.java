package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Feeds that are fetched with credentials, and whose entries are therefore for operators alone. A
 * feed stays private when it is followed no more, since its entries may still be stored. Safe for
 * use by several threads.
 */
public interface PrivateFeeds {

  /** Why the feed is refused: as if the gateway had no credentials for its origin. */
  String REFUSED = "the topic cannot be fetched: " + FollowedFeed.ASKS_FOR_CREDENTIALS;

  /** Feeds that may be private at once, including feeds that are followed no more. */
  int MAX = 10_000;

  /** Whether the feed of a topic is private. Never blocks. */
  boolean contains(String topic);

  /** Whether a feed is private. Never blocks. */
  boolean contains(long feedId);

  /** The number of private feeds, including feeds that are followed no more. Never blocks. */
  int count();

  /**
   * Makes the feed of a topic private in this process until {@link #show}, before {@link #set} does
   * so for good: from now on no caller is let in that {@link #set} would have to put out. A feed
   * that is followed is followed for good.
   *
   * @return the id of a feed that is followed
   */
  CompletableFuture<Optional<Long>> hide(String topic);

  /** Ends {@link #hide}; the feed stays private if it is by {@link #set}. Never blocks. */
  void show(String topic);

  /**
   * Ends subscriptions to a feed that have not the operator's credentials, and waiting requests for
   * them, up to a limit. WebSub subscribers are told {@link #REFUSED}.
   *
   * @return how many it has ended; none is left if that is below the limit
   */
  CompletableFuture<Integer> dismiss(long feedId, Instant now, int limit);

  /** The credentials of a feed; empty where it has none. Blocks. */
  Optional<FeedCredentials> of(long feedId);

  /**
   * Follows the feed of a topic for good, with these credentials in place of earlier ones, and has
   * it fetched at once. The readers of its bridged feed count no longer, and the subscriptions that
   * {@link #dismiss} has left end. Changes of one feed must not overlap.
   *
   * @param credentials not empty
   */
  CompletableFuture<FollowedFeed> set(String topic, FeedCredentials credentials, Instant now);

  /**
   * Takes the credentials of the feed of a topic away, if there are any: the feed and its stored
   * entries are public again. Changes of one feed must not overlap.
   */
  CompletableFuture<Void> clear(String topic);
}
