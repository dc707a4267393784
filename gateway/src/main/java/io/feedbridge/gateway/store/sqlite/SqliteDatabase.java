package io.feedbridge.gateway.store.sqlite;

import com.zaxxer.hikari.HikariDataSource;
import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.folder.FolderLock;
import io.feedbridge.gateway.store.sql.commit.CommitListeners;
import io.feedbridge.gateway.store.sql.commit.GroupCommit;
import io.feedbridge.gateway.store.sql.commit.Health;
import io.feedbridge.gateway.store.sql.commit.StorageFailure;
import io.feedbridge.gateway.store.sql.commit.WriteQueue;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.vault.Vault;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of the embedded adapters: opened by one process at a time, checked and migrated at the
 * start, read over a few connections, written by one thread.
 */
public final class SqliteDatabase implements Database, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SqliteDatabase.class);

  /** Long reads at once; the other connections are kept for intake. */
  private static final int LONG_READERS = Connections.READERS / 2;

  private final Path file;
  private final Health health;
  private final Semaphore longReads = new Semaphore(LONG_READERS, true);
  private final CommitListeners listeners = new CommitListeners();

  /** The resources to close, the last opened first. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private final DamagedRows.Told damaged = new DamagedRows.Told();
  private final Jdbi readers;
  private final GroupCommit writer;
  private final long epoch;

  /** Opens all resources, or closes them again. */
  private SqliteDatabase(Path folder, KeyFile keyFile, Executor callers, Timer timer) {
    file = DataFolder.database(folder);
    // No other node can take over a file.
    health = new Health(timer.clock(), reason -> {});
    boolean whole = false;
    try {
      opened.push(FolderLock.of(folder));
      NativeLibrary.unpackInto(folder);
      DataSource reading = Connections.reading(file);
      FileCheck.pass(file, Connections.jdbi(reading));
      DataFolder.makeDatabase(folder);
      refuseMoved(Connections.jdbi(reading));
      boolean old = Migration.isDue(file, reading);
      DataSource writing = Connections.writing(file);
      Jdbi writers = Connections.jdbi(writing);
      FreeSpace.makeReturnable(file, writers);
      if (old) {
        Migration.run(file, writing);
      }
      Vault vault = SqliteVault.open(file, writers, keyFile);
      HikariDataSource pool = Connections.readers(file);
      opened.push(pool);
      readers = Connections.jdbi(pool);
      readers.getConfig(Sealing.class).with(vault);
      readers.getConfig(DamagedRows.class).with(damaged);
      writers.getConfig(DamagedRows.class).with(damaged);
      WriterConnection connection = connection(writers, timer);
      epoch = connection.epoch();
      writer = new GroupCommit("store-writer", connection, callers, listeners, timer, health);
      whole = true;
    } finally {
      if (!whole) {
        letGo();
      }
    }
    opened.push(writer);
    writer.start();
  }

  private void refuseMoved(Jdbi reading) {
    try {
      reading.useHandle(handle -> SqliteMoveSource.refuseMoved(file, handle));
    } catch (JdbiException e) {
      throw FileCheck.unreadable(file, e);
    }
  }

  private WriterConnection connection(Jdbi writing, Timer timer) {
    Handle handle;
    Owner owner;
    try {
      handle = writing.open();
      opened.push(handle);
      owner = Owner.take(handle, timer.clock());
    } catch (JdbiException e) {
      throw FileCheck.unreadable(file, e);
    }
    WriterConnection connection = new WriterConnection(writing, handle, owner, file);
    // It is the writer's from here on.
    opened.remove(handle);
    return connection;
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

  @Override
  public StoreHealth health() {
    return health.state();
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public long damagedRows() {
    return damaged.count();
  }

  /** The size of the write-ahead log's file. */
  public long walBytes() {
    return Checkpoints.walBytes(DataFolder.wal(file));
  }

  @Override
  public <T> T read(Function<Handle, T> query) {
    try {
      return readers.withHandle(query::apply);
    } catch (JdbiException e) {
      // Damage makes the whole store unhealthy; any other failure may be over with the next read.
      Optional<StorageFailure> failure = SqliteFailures.behind(e, file);
      failure.filter(StorageFailure::lasting).ifPresent(damage -> health.failed(damage, e));
      String message = "the store cannot be read: " + StorageFailure.words(e);
      throw failure.isPresent() || e instanceof ConnectionException
          ? StoreException.general(message, e)
          : new StoreException(message, e);
    }
  }

  @Override
  public <T> T readLong(Function<Handle, T> query) {
    longReads.acquireUninterruptibly();
    try {
      return read(query);
    } finally {
      longReads.release();
    }
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> write(
      long bytes, Transaction<T> transaction) {
    return writer.write(bytes, transaction);
  }

  @Override
  public <P, T extends @Nullable Object> CompletableFuture<T> write(
      long bytes, Joint<P, T> kind, P part) {
    return writer.write(bytes, kind, part, WriteQueue.Lane.PROMPT);
  }

  @Override
  public boolean hasWriterBeside() {
    return false;
  }

  @Override
  public <P, T extends @Nullable Object> CompletableFuture<T> writeBeside(
      long bytes, Joint<P, T> kind, P part) {
    return write(bytes, kind, part);
  }

  @Override
  public <P, T extends @Nullable Object> CompletableFuture<T> writePatiently(
      long bytes, Joint<P, T> kind, P part) {
    return writer.write(bytes, kind, part, WriteQueue.Lane.PATIENT);
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> writePatiently(
      Transaction<T> transaction) {
    return writer.write(SMALL_WRITE_BYTES, transaction, WriteQueue.Lane.PATIENT);
  }

  @Override
  public long giveBack(Handle handle, long kept, long most) {
    return FreeSpace.giveBack(handle, kept, most);
  }

  @Override
  public void on(Effect effect, Runnable listener) {
    listeners.on(effect, listener);
  }

  @Override
  public void onSubscriptionsChanged(Consumer<ChangedSubscriptions> listener) {
    listeners.onSubscriptionsChanged(listener);
  }

  /** Commits the waiting writes, then releases the file. */
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
