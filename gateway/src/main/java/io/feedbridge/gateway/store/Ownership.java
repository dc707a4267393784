package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The process that owns the partitions of a store (rule L15). A store has one owner at a time,
 * which owns all of them. Other nodes on the same database are standbys.
 */
public interface Ownership {

  /** Partitions of a store; a feed is in the one that is its id modulo this number. */
  int PARTITIONS = 64;

  /**
   * Has the store know the name of this process's node.
   *
   * @param node a name such as {@code gateway-1}
   */
  CompletableFuture<Void> announce(String node);

  /** This process, with the epoch in which it opened the store. */
  Owner self();

  /**
   * The process that opened the store last. Blocks.
   *
   * @throws StoreException if the store cannot be read
   */
  Owner owner();

  /**
   * Work items that are not done yet, and feeds with an event of which no round has begun. Blocks.
   *
   * @throws StoreException if the store cannot be read
   */
  long behind();

  /**
   * The other nodes on the same database, with the nodes that died within a day. Blocks.
   *
   * @throws StoreException if the store cannot be read
   */
  List<Standby> standbys();

  /**
   * A node that does not own the store.
   *
   * @param node its name
   * @param dead whether its lease has expired
   * @param since when it joined
   */
  record Standby(String node, boolean dead, Instant since) {}

  /**
   * A process that has opened the store.
   *
   * @param node its name; null until it is announced
   * @param epoch grows with each process that opens the store
   * @param since when it opened the store; null where that is not known
   */
  record Owner(@Nullable String node, long epoch, @Nullable Instant since) {}
}
