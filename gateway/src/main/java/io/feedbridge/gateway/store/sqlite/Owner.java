package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.sql.commit.StorageException;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Clock;
import org.jdbi.v3.core.Handle;

/**
 * The process that may write the file (rule L15). The lock beside the file keeps a second gateway
 * out, but not every file system has locks, and a lock file can be removed by hand. Each process
 * that opens the file therefore raises its epoch, and a commit of an older epoch is refused.
 *
 * @param epoch the epoch of this process
 */
record Owner(long epoch) {

  /** Makes this process the owner, for as long as no other opens the file. */
  static Owner take(Handle handle, Clock clock) {
    handle.execute("BEGIN IMMEDIATE");
    long epoch =
        handle
            .createQuery(
                """
                INSERT INTO owner (id, epoch, opened_at) VALUES (1, 1, :now)
                ON CONFLICT (id) DO UPDATE SET epoch = epoch + 1, opened_at = :now, node = NULL
                RETURNING epoch
                """)
            .bind("now", clock.instant().toEpochMilli())
            .mapTo(Long.class)
            .one();
    handle.execute("COMMIT");
    return new Owner(epoch);
  }

  /**
   * Checks, in the transaction of a commit, that this process is still the owner.
   *
   * @throws StorageException if another process has opened the file since
   */
  void check(Handle handle) {
    String since =
        handle
            .createQuery("SELECT epoch, opened_at FROM owner WHERE id = 1")
            .map(
                (row, context) ->
                    row.getLong("epoch") == epoch ? "" : " at " + Rows.instant(row, "opened_at"))
            .findOne()
            .orElse(" since");
    if (!since.isEmpty()) {
      throw new StorageException(
          StorageFailure.lasting(
              "another gateway has opened the data folder%s: stop one of the two, then restart this one"
                  .formatted(since)));
    }
  }
}
