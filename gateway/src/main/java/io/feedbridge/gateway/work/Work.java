package io.feedbridge.gateway.work;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

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

  /**
   * The feeds of which a ping waits that was added after a position. Blocks on storage.
   *
   * @param positions of different feeds
   */
  Set<Long> pingedSince(Collection<Position> positions);
}
