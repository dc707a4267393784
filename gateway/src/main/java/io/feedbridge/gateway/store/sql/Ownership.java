package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The process that owns the partitions of a store (rule L15). A store has one owner at a time,
 * which owns all of them. Other nodes on the same database are standbys.
 */
public final class Ownership {

  /** Partitions of a store; a feed is in the one that is its id modulo this number. */
  public static final int PARTITIONS = 64;

  /** The newest takeovers, which are kept. */
  public static final int MAX_TAKEOVERS = 100;

  private final Database database;
  private volatile @Nullable String node;

  Ownership(Database database) {
    this.database = database;
  }

  /**
   * Has the store know the name of this process's node, and where other nodes reach the node.
   *
   * @param name such as {@code gateway-1}
   * @param address scheme, host and port
   * @param cause why this process owns the store now, in words
   */
  public CompletableFuture<Void> announce(String name, URI address, String cause) {
    node = name;
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate("UPDATE owner SET node = :node WHERE id = 1")
              .bind("node", name)
              .execute();
          handle
              .createUpdate(
                  """
                  UPDATE node SET address = :address
                  WHERE incarnation = (SELECT incarnation FROM owner WHERE id = 1)
                  """)
              .bind("address", address.toString())
              .execute();
          handle
              .createUpdate(
                  """
                  INSERT INTO takeover (epoch, node, at, cause)
                  SELECT epoch, node, opened_at, :cause FROM owner WHERE id = 1
                  ON CONFLICT (epoch) DO NOTHING
                  """)
              .bind("cause", cause)
              .execute();
          handle
              .createUpdate("DELETE FROM takeover WHERE epoch <= (SELECT epoch FROM owner) - :kept")
              .bind("kept", MAX_TAKEOVERS)
              .execute();
        });
  }

  /** This process, with the epoch in which it opened the store. */
  public Owner self() {
    return new Owner(node, database.epoch(), null, null);
  }

  /**
   * The process that opened the store last. Blocks.
   *
   * @throws StoreException if the store cannot be read
   */
  public Owner owner() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT node, epoch, opened_at, (SELECT address FROM node n
                      WHERE n.incarnation = owner.incarnation) AS address
                    FROM owner WHERE id = 1
                    """)
                .map(
                    (row, context) ->
                        new Owner(
                            row.getString("node"),
                            row.getLong("epoch"),
                            Rows.instant(row, "opened_at"),
                            row.getString("address")))
                .one());
  }

  /**
   * The other nodes on the same database, with the nodes that died within a day. Blocks.
   *
   * @throws StoreException if the store cannot be read
   */
  public List<Standby> standbys() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT name, state, since, address FROM node n
                    WHERE state <> 'active'
                      AND NOT EXISTS (SELECT 1 FROM owner o WHERE o.incarnation = n.incarnation)
                    ORDER BY name, since
                    """)
                .map(
                    (row, context) ->
                        new Standby(
                            row.getString("name"),
                            row.getString("state").equals("dead"),
                            Rows.instant(row, "since"),
                            row.getString("address")))
                .list());
  }

  /**
   * The processes that became the owner, the newest first. Blocks.
   *
   * @param limit the most of them
   * @throws StoreException if the store cannot be read
   */
  public List<Takeover> takeovers(int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT epoch, node, at, cause FROM takeover ORDER BY epoch DESC LIMIT :limit")
                .bind("limit", limit)
                .map(
                    (row, context) ->
                        new Takeover(
                            row.getLong("epoch"),
                            row.getString("node"),
                            Rows.instant(row, "at"),
                            row.getString("cause")))
                .list());
  }

  /**
   * Work items that are not done yet, and feeds with an event of which no round has begun. Blocks.
   *
   * @throws StoreException if the store cannot be read
   */
  public long behind() {
    return database.readLong(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT (SELECT COUNT(*) FROM work)
                      + (SELECT COUNT(*) FROM feed WHERE head > rounded)
                    """)
                .mapTo(Long.class)
                .one());
  }

  /**
   * A node that does not own the store.
   *
   * @param node its name
   * @param dead whether its lease has expired
   * @param since when it joined
   * @param address under which other nodes reach it; null until it is known
   */
  public record Standby(String node, boolean dead, Instant since, @Nullable String address) {}

  /**
   * A process that became the owner.
   *
   * @param epoch in which it opened the store
   * @param at when that was, by the clock of the store
   * @param cause in words
   */
  public record Takeover(long epoch, String node, Instant at, String cause) {}

  /**
   * A process that has opened the store.
   *
   * @param node its name; null until it is announced
   * @param epoch grows with each process that opens the store
   * @param since when it opened the store; null where that is not known
   * @param address under which other nodes reach it; null where the store is a file
   */
  public record Owner(
      @Nullable String node, long epoch, @Nullable Instant since, @Nullable String address) {}
}
