package io.feedbridge.gateway.work;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * Durable work, ordered per feed, done at least once. Safe for use by several threads.
 *
 * <p>An item leaves the work only in the store's transaction that records its outcome; there is no
 * way to acknowledge it otherwise.
 */
public interface Work {

  /**
   * Adds an item. Never blocks.
   *
   * @return completes once the item is on disk; exceptionally, with nothing added, if it cannot be
   */
  CompletableFuture<Void> add(WorkItem item);

  /**
   * Hands out work of feeds that have none handed out already (rule L2), oldest first. Blocks on
   * storage.
   *
   * @param max the most assignments to hand out; fewer where they bring much content along
   */
  List<Assignment> take(int max);

  /**
   * Ends an assignment. Items whose position the store has not written are handed out again.
   *
   * @param assignment one that {@link #take} returned and that was not given back yet
   */
  void giveBack(Assignment assignment);

  /** The number of items waiting or handed out. Blocks on storage. */
  long waiting();

  /** Runs {@code listener} after each commit that added work; it must return at once. */
  void onAdded(Runnable listener);

  /** Calls {@code listener} with the feed after each ping is on disk; it must return at once. */
  void onPing(LongConsumer listener);

  /** Whether a ping of a feed waits that was added after this position. Blocks on storage. */
  boolean pingedSince(Position position);
}
