package io.feedbridge.gateway.store.sql;

import io.feedbridge.gateway.store.sql.database.Database;
import java.util.concurrent.CompletableFuture;

/** The newest block of Hive whose pings were taken. */
public final class PodpingPosition {

  private final Database database;

  public PodpingPosition(Database database) {
    this.database = database;
  }

  /** The number of the block; 0 where none was taken yet. */
  public long get() {
    return database.read(
        handle ->
            handle.createQuery("SELECT block FROM podping").mapTo(Long.class).findOne().orElse(0L));
  }

  /** All pings up to a block are taken. */
  public CompletableFuture<Void> set(long block) {
    return database.changePatiently(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    INSERT INTO podping (id, block) VALUES (1, :block)
                    ON CONFLICT (id) DO UPDATE SET block = :block
                    """)
                .bind("block", block)
                .execute());
  }
}
