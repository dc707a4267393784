package io.feedbridge.gateway.store.sql.move;

import io.feedbridge.gateway.store.StoreException;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The row that keeps gateways from a store that was moved away, or is not whole yet. It is in the
 * source from the moment in which the target is whole, and in the target until the source has it.
 *
 * @param token the same in the source and the target of one move
 * @param peer the other store, as messages name it
 * @param away whether the rows of this store are in the other one; otherwise this one is unfinished
 * @param at the time of the move
 */
public record MoveMark(String token, String peer, boolean away, Instant at) {

  /** The table of the mark, which is not moved. */
  public static final String TABLE = "moved";

  /** The mark of a store whose schema has the table. */
  public static Optional<MoveMark> in(Handle handle) {
    return handle
        .createQuery("SELECT token, peer, away, at FROM moved WHERE id = 1")
        .map(
            (row, context) ->
                new MoveMark(
                    row.getString("token"),
                    row.getString("peer"),
                    row.getBoolean("away"),
                    Instant.ofEpochMilli(row.getLong("at"))))
        .findOne();
  }

  /** Writes the mark, in a transaction of the caller. */
  public void write(Handle handle) {
    handle
        .createUpdate(
            """
            INSERT INTO moved (id, token, peer, away, at) VALUES (1, :token, :peer, :away, :at)
            """)
        .bind("token", token)
        .bind("peer", peer)
        .bind("away", away)
        .bind("at", at.toEpochMilli())
        .execute();
  }

  /** Removes the mark, in a transaction of the caller. */
  public static void remove(Handle handle) {
    handle.execute("DELETE FROM moved");
  }

  /**
   * The refusal to open a store that has this mark.
   *
   * @param store as messages name it
   */
  public StoreException refusal(String store) {
    return new StoreException(
        away
            ? "the store %s was moved to %s at %s: start the gateway with --store on that database"
                .formatted(store, peer, at)
            : ("the database %s has an unfinished copy of %s: run feedbridge migrate on that folder"
                    + " again, or use an empty database")
                .formatted(store, peer));
  }
}
