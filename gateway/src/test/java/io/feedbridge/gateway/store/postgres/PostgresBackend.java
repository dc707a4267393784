package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.sql.SqlAccounts;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.work.Work;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Both ports over one PostgreSQL database. */
public final class PostgresBackend implements Backend {

  private final KeyFile key;
  private final String url;
  private final Runnable end;
  private final ExecutorService callers = Executors.newSingleThreadExecutor();
  private final SystemTimer timer = new SystemTimer(Clock.systemUTC());
  private PostgresDatabase database;
  private Store store;
  private SqlWork work;

  /** An empty database, with the key in the folder. */
  public PostgresBackend(Path folder) {
    this(folder, TestServer.shared().database(), TestServer.shared()::clean);
  }

  /** A database, which stays as it is then, with the key in the folder. */
  public PostgresBackend(Path folder, String url) {
    this(folder, url, () -> {});
  }

  private PostgresBackend(Path folder, String url, Runnable end) {
    this.url = url;
    this.end = end;
    key = KeyFile.in(folder);
    open();
  }

  private void open() {
    database = PostgresDatabase.open(new PostgresPlace(url, true), key, callers, timer);
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
    return new PostgresAccounts(url);
  }

  @Override
  public void restart() {
    database.close();
    open();
  }

  @Override
  public void close() {
    database.close();
    timer.close();
    callers.shutdown();
    end.run();
  }
}
