package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.SqlAccounts;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.JdbiException;

/** Users and tokens in the store of a data folder. */
public final class SqliteAccounts extends SqlAccounts {

  private final Path folder;
  private final Path file;

  /** Accounts in the store of a folder. */
  public SqliteAccounts(Path folder) {
    this.folder = folder;
    file = DataFolder.database(folder);
  }

  @Override
  protected <T> T write(HandleCallback<T, RuntimeException> change) {
    if (Files.notExists(file)) {
      throw noStore(folder.toString());
    }
    try {
      return Connections.jdbi(Connections.writing(file))
          .inTransaction(
              handle -> {
                // Writes first: a transaction that has only read cannot go on to write once another
                // has written.
                T changed = change.withHandle(handle);
                SqliteMoveSource.refuseMoved(file, handle);
                return changed;
              });
    } catch (JdbiException e) {
      throw new StoreException(
          "the store %s cannot be written: %s".formatted(file, SqliteFailures.reason(e, file)), e);
    }
  }
}
