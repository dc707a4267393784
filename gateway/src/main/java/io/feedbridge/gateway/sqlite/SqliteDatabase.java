package io.feedbridge.gateway.sqlite;

import com.zaxxer.hikari.HikariDataSource;
import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.ChangedSubscriptions;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.vault.Vault;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of the embedded adapters: opened by one process at a time, looked at and migrated at the
 * start, read over a few connections, written by one thread.
 */
public final class SqliteDatabase implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SqliteDatabase.class);

  /** What a write holds that brings no body along, roughly. */
  private static final long SMALL_WRITE_BYTES = 1_024;

  /** Readers that may be in long reads at once; the others are intake's. */
  private static final int LONG_READERS = Connections.READERS / 2;

  private final Path file;
  private final Health health;
  private final Semaphore longReads = new Semaphore(LONG_READERS, true);
  private final Map<Effect, List<Runnable>> listeners = new EnumMap<>(Effect.class);

  private final List<Consumer<ChangedSubscriptions>> subscriptionListeners =
      new CopyOnWriteArrayList<>();

  /** What to let go of, the last taken first. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private final Jdbi readers;
  private final GroupCommit writer;

  /** Opens everything, or lets go of it again. */
  private SqliteDatabase(Path folder, KeyFile keyFile, Executor callers, Timer timer) {
    for (Effect effect : Effect.values()) {
      listeners.put(effect, new CopyOnWriteArrayList<>());
    }
    file = DataFolder.database(folder);
    health = new Health(timer.clock());
    boolean whole = false;
    try {
      DataFolder data = DataFolder.lock(folder);
      opened.push(data);
      NativeLibrary.unpackInto(folder);
      DataSource reading = Connections.reading(file);
      FileCheck.pass(file, Connections.jdbi(reading));
      data.makeDatabase();
      boolean old = Migration.isDue(file, reading);
      DataSource writing = Connections.writing(file);
      if (old) {
        Migration.run(file, writing);
      }
      Jdbi writers = Connections.jdbi(writing);
      Vault vault = SqliteVault.open(file, writers, keyFile);
      HikariDataSource pool = Connections.readers(file);
      opened.push(pool);
      readers = Connections.jdbi(pool);
      readers.getConfig(Sealing.class).with(vault);
      writer = writer(writers, callers, timer);
      whole = true;
    } finally {
      if (!whole) {
        letGo();
      }
    }
    opened.push(writer);
    writer.start();
  }

  private GroupCommit writer(Jdbi writing, Executor callers, Timer timer) {
    Handle handle;
    Owner owner;
    try {
      handle = writing.open();
      opened.push(handle);
      owner = Owner.take(handle, timer.clock());
    } catch (JdbiException e) {
      throw FileCheck.unreadable(file, e);
    }
    WriterConnection connection = new WriterConnection(writing, handle, owner);
    // It is the writer's from here on.
    opened.remove(handle);
    return new GroupCommit(
        connection,
        file,
        new Checkpoints(DataFolder.wal(file), (int) Connections.BUSY_WAIT.toMillis()),
        callers,
        this::committed,
        timer,
        health);
  }

  /**
   * Opens the store in a folder, creating both if need be.
   *
   * @param keyFile the key that secrets are encrypted with
   * @param callers where the futures of writes are completed
   * @param timer by which a storage that failed is tried again
   * @throws StoreException if another process has it open, it cannot be read or migrated, or the
   *     key is not the one; the message is fit for the operator
   */
  public static SqliteDatabase open(Path folder, KeyFile keyFile, Executor callers, Timer timer) {
    return new SqliteDatabase(folder, keyFile, callers, timer);
  }

  /** {@link #open} with the key in the folder. */
  public static SqliteDatabase open(Path folder, Executor callers, Timer timer) {
    return open(folder, KeyFile.in(folder), callers, timer);
  }

  /** {@link #open} with a timer of its own. */
  public static SqliteDatabase open(Path folder, Executor callers) {
    SystemTimer timer = new SystemTimer(Clock.systemUTC());
    SqliteDatabase database = open(folder, callers, timer);
    database.opened.addLast(timer);
    return database;
  }

  /** Whether it takes writes. Never blocks. */
  StoreHealth health() {
    return health.state();
  }

  /** The size of the write-ahead log's file. */
  public long walBytes() {
    return Checkpoints.walBytes(DataFolder.wal(file));
  }

  /**
   * Reads from the newest committed state. Blocks.
   *
   * @throws StoreException if it cannot, or is closed
   */
  <T> T read(Function<Handle, T> query) {
    try {
      return readers.withHandle(query::apply);
    } catch (JdbiException e) {
      // Damage is for everybody to know; what else keeps a reader may be over with the next one.
      StorageFailure.behind(e, file)
          .filter(StorageFailure::lasting)
          .ifPresent(damage -> health.failed(damage, e));
      throw new StoreException("the store cannot be read: " + StorageFailure.words(e), e);
    }
  }

  /**
   * {@link #read} for what may look at many rows: only some of the readers are used for such, so
   * that whoever waits for a short look always finds one.
   */
  <T> T readLong(Function<Handle, T> query) {
    longReads.acquireUninterruptibly();
    try {
      return read(query);
    } finally {
      longReads.release();
    }
  }

  /**
   * Runs a transaction on the writer; the future completes when it is on disk.
   *
   * @param bytes that the transaction holds on to until then, roughly
   */
  <T extends @Nullable Object> CompletableFuture<T> write(
      long bytes, GroupCommit.Transaction<T> transaction) {
    return writer.write(bytes, transaction);
  }

  /** {@link #write} for a transaction that holds little. */
  <T extends @Nullable Object> CompletableFuture<T> write(GroupCommit.Transaction<T> transaction) {
    return write(SMALL_WRITE_BYTES, transaction);
  }

  /** {@link #write} for a transaction without a result that holds little. */
  CompletableFuture<Void> change(Action action) {
    return change(SMALL_WRITE_BYTES, action);
  }

  /** {@link #write} for a transaction without a result. */
  CompletableFuture<Void> change(long bytes, Action action) {
    return write(
            bytes,
            (handle, effects) -> {
              action.run(handle, effects);
              return true;
            })
        .thenAccept(done -> {});
  }

  /** {@link #write} for deliveries: it leaves room and time for whom somebody waits for. */
  <T extends @Nullable Object> CompletableFuture<T> writePatiently(
      GroupCommit.Transaction<T> transaction) {
    return writer.write(SMALL_WRITE_BYTES, transaction, WriteQueue.Lane.PATIENT);
  }

  /** {@link #writePatiently} for a transaction without a result. */
  CompletableFuture<Void> changePatiently(Action action) {
    return writePatiently(
            (handle, effects) -> {
              action.run(handle, effects);
              return true;
            })
        .thenAccept(done -> {});
  }

  /** The code of a transaction without a result. */
  interface Action {
    void run(Handle handle, Set<Effect> effects);
  }

  void on(Effect effect, Runnable listener) {
    listeners.getOrDefault(effect, List.of()).add(listener);
  }

  void onSubscriptionsChanged(Consumer<ChangedSubscriptions> listener) {
    subscriptionListeners.add(listener);
  }

  private void committed(Set<Effect> effects, Optional<ChangedSubscriptions> changed) {
    changed.ifPresent(
        them ->
            subscriptionListeners.forEach(
                listener -> tell("SUBSCRIPTIONS", () -> listener.accept(them))));
    for (Effect effect : effects) {
      listeners.getOrDefault(effect, List.of()).forEach(listener -> tell(effect.name(), listener));
    }
  }

  /** One listener's failure is not the others' (nor, at a stop, the writer's). */
  private static void tell(String effect, Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException e) {
      log.atError().addKeyValue("effect", effect).setCause(e).log("A listener of the store failed");
    }
  }

  /** Commits what is waiting, then lets go of the file. */
  @Override
  public void close() {
    letGo();
  }

  private synchronized void letGo() {
    while (!opened.isEmpty()) {
      AutoCloseable part = opened.pop();
      try {
        part.close();
      } catch (Exception e) {
        log.atError().setCause(e).log("A part of the store was not closed well");
      }
    }
  }
}
