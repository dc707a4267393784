package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.database.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A disk that is full, as far as the store's writer can tell: its connection may add no page to the
 * file, so that SQLite fails as it does when the disk takes no more.
 */
public final class FullDisk {

  private final Connection connection;

  private FullDisk(Connection connection) {
    this.connection = connection;
  }

  /** From now on there is no room; a write has found that out. */
  public static FullDisk under(Store store) {
    return under(store.database());
  }

  static FullDisk under(Database database) {
    AtomicReference<Connection> connection = new AtomicReference<>();
    database
        .change(
            (handle, effects) -> {
              connection.set(handle.getConnection());
              limit(handle.getConnection(), 1);
            })
        .join();
    try {
      database
          .change(
              (handle, effects) ->
                  handle.execute("INSERT INTO secret VALUES ('too much', zeroblob(1000000))"))
          .join();
      throw new AssertionError("there is room");
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof StoreException)) {
        throw e;
      }
    }
    return new FullDisk(Objects.requireNonNull(connection.get()));
  }

  /** From now on there is room again. */
  public void makeRoom() {
    limit(connection, 1_000_000);
  }

  private static void limit(Connection connection, int pages) {
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA max_page_count = " + pages);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
