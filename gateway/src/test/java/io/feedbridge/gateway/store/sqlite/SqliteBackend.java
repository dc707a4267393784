package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.sql.SqlAccounts;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.work.Work;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Both embedded adapters over one folder. */
public final class SqliteBackend implements Backend {

  private final Path folder;
  private final ExecutorService callers = Executors.newSingleThreadExecutor();
  private SqliteDatabase database;
  private Store store;
  private SqlWork work;

  public SqliteBackend(Path folder) {
    this.folder = folder;
    EmptyStore.in(folder);
    database = SqliteDatabase.open(folder, callers);
    store = new Store(database);
    work = new SqlWork(database);
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public Database database() {
    return database;
  }

  @Override
  public Work work() {
    return work;
  }

  @Override
  public SqlAccounts accounts() {
    return new SqliteAccounts(folder);
  }

  @Override
  public void restart() {
    database.close();
    database = SqliteDatabase.open(folder, callers);
    store = new Store(database);
    work = new SqlWork(database);
  }

  @Override
  public void close() {
    database.close();
    callers.shutdown();
  }
}
