package io.feedbridge.gateway;

import io.feedbridge.gateway.sqlite.SqliteDatabase;
import io.feedbridge.gateway.sqlite.SqliteStore;
import io.feedbridge.gateway.store.Store;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The store of a gateway that does not run, to be prepared through its port. */
public final class OfflineStore implements AutoCloseable {

  private final ExecutorService callers = Executors.newSingleThreadExecutor();
  private final SqliteDatabase database;
  private final Store store;

  private OfflineStore(Path data) {
    database = SqliteDatabase.open(data, callers);
    store = new SqliteStore(database);
  }

  /**
   * Opens the store of a data folder, or makes one.
   *
   * @throws io.feedbridge.gateway.store.StoreException if it cannot be opened, or a gateway has it
   */
  public static OfflineStore open(Path data) {
    return new OfflineStore(data);
  }

  /** The port; until this is closed. */
  public Store store() {
    return store;
  }

  @Override
  public void close() {
    database.close();
    callers.shutdown();
  }
}
