package io.feedbridge.gateway;

import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.sql.SqlStore;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.sqlite.SqliteDatabase;
import io.feedbridge.gateway.work.Work;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The store of a gateway that does not run, to be prepared through its ports. */
public final class OfflineStore implements AutoCloseable {

  private final SqliteDatabase database;
  private final Runnable afterwards;
  private final Store store;
  private final Work work;

  private OfflineStore(SqliteDatabase database, Runnable afterwards) {
    this.database = database;
    this.afterwards = afterwards;
    store = new SqlStore(database);
    work = new SqlWork(database);
  }

  /**
   * Opens the store of a data folder, or makes one.
   *
   * @throws io.feedbridge.gateway.store.StoreException if it cannot be opened, or a gateway has it
   */
  public static OfflineStore open(Path data) {
    ExecutorService callers = Executors.newSingleThreadExecutor();
    return new OfflineStore(SqliteDatabase.open(data, callers), callers::shutdown);
  }

  /**
   * {@link #open} for stages that are run without the rest.
   *
   * @param callers the executor that completes the futures of writes
   * @param timer the timer of these stages
   */
  public static OfflineStore open(Path data, Executor callers, Timer timer) {
    return new OfflineStore(SqliteDatabase.open(data, callers, timer), () -> {});
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
    database.close();
    afterwards.run();
  }
}
