package io.feedbridge.gateway.offline;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.search.TextIndex;
import io.feedbridge.gateway.store.postgres.PostgresDatabase;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.sqlite.SqliteDatabase;
import io.feedbridge.gateway.store.sqlite.search.FtsIndex;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.work.Work;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The store of a gateway that does not run, to be prepared through its ports. */
public final class OfflineStore implements AutoCloseable {

  private final Runnable end;
  private final Store store;
  private final Work work;

  private OfflineStore(Database database, Runnable end) {
    this.end = end;
    store = new Store(database);
    work = new SqlWork(database);
  }

  /**
   * Opens the store of a data folder, or makes one.
   *
   * @throws io.feedbridge.gateway.store.StoreException if it cannot be opened, or a gateway has it
   */
  public static OfflineStore open(Path data) {
    ExecutorService callers = Executors.newSingleThreadExecutor();
    SqliteDatabase database = SqliteDatabase.open(data, callers);
    return new OfflineStore(
        database,
        () -> {
          database.close();
          callers.shutdown();
        });
  }

  /**
   * Opens the store of a PostgreSQL database, or makes one.
   *
   * @param url a JDBC URL, with the login
   * @param data the folder with the key of the store
   * @throws io.feedbridge.gateway.store.StoreException if it cannot be opened, or a gateway has it
   */
  public static OfflineStore open(String url, Path data) {
    ExecutorService callers = Executors.newSingleThreadExecutor();
    SystemTimer timer = new SystemTimer(Clock.systemUTC());
    PostgresDatabase database = PostgresDatabase.open(url, KeyFile.in(data), callers, timer);
    return new OfflineStore(
        database,
        () -> {
          database.close();
          timer.close();
          callers.shutdown();
        });
  }

  /**
   * {@link #open} for stages that are run without the rest.
   *
   * @param callers the executor that completes the futures of writes
   * @param timer the timer of these stages
   */
  public static OfflineStore open(Path data, Executor callers, Timer timer) {
    SqliteDatabase database = SqliteDatabase.open(data, callers, timer);
    return new OfflineStore(database, database::close);
  }

  /** Opens the search index of a data folder, or makes one; no gateway has it. */
  public static TextIndex searchIndex(Path data) {
    return FtsIndex.open(data);
  }

  /** The port; until this is closed. */
  public Store store() {
    return store;
  }

  /** The port of work, likewise. */
  public Work work() {
    return work;
  }

  @Override
  public void close() {
    end.run();
  }
}
