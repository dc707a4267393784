package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Feeds that are followed because somebody reads the bridged ones. */
public interface Bridges {

  /**
   * Somebody reads a feed's bridged one: it is followed for that, as long as this is told anew now
   * and then.
   *
   * @param topic normalised
   */
  CompletableFuture<FollowedFeed> read(String topic, Instant now);

  /**
   * Lets go of feeds that nobody has read for long, unless they are wanted for another reason.
   *
   * @param before when they were read last
   * @param limit feeds of one transaction
   * @return how many had not been read
   */
  CompletableFuture<Integer> expire(Instant before, int limit);

  /** Nobody reads it, after all: it is let go of, unless it is wanted for another reason. */
  CompletableFuture<Void> forget(long feedId, Instant now);

  /** How many there are. */
  long count();
}
