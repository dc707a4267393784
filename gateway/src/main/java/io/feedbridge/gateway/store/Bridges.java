package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Feeds that are followed because a caller reads their bridged feeds. */
public interface Bridges {

  /**
   * Records that a caller reads the bridged feed of a topic. The topic is followed for that until
   * {@link #expire} finds no recent read.
   *
   * @param topic normalised
   */
  CompletableFuture<FollowedFeed> read(String topic, Instant now);

  /**
   * Stops following feeds whose bridged feeds had no recent read, unless the feeds are wanted for
   * another reason.
   *
   * @param before feeds whose last read is older than this expire
   * @param limit feeds of one transaction
   * @return how many feeds had no recent read
   */
  CompletableFuture<Integer> expire(Instant before, int limit);

  /**
   * Forgets that a bridged feed is read. Its feed is no longer followed, unless it is wanted for
   * another reason.
   */
  CompletableFuture<Void> forget(long feedId, Instant now);

  /** The number of bridged feeds that are read. */
  long count();
}
