package io.feedbridge.gateway.sqlite;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.feedbridge.gateway.store.StoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * The file of the embedded adapters: opened by one process at a time, migrated at the start, read
 * over a few connections, written by one thread.
 */
public final class SqliteDatabase implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SqliteDatabase.class);

  private static final String FILE = "feedbridge.db";
  private static final String LOCK = "feedbridge.lock";

  /** Readers at once; in WAL mode they neither wait for the writer nor hold it up. */
  private static final int READERS = 4;

  private static final Duration READER_WAIT = Duration.ofSeconds(10);
  private static final Duration BUSY_WAIT = Duration.ofSeconds(10);

  private final FileChannel lockFile;
  private final HikariDataSource readers;
  private final Jdbi jdbi;
  private final Handle writerHandle;
  private final GroupCommit writer;
  private final Map<Effect, List<Runnable>> listeners = new EnumMap<>(Effect.class);

  private SqliteDatabase(
      FileChannel lockFile, HikariDataSource readers, Handle writerHandle, Executor callers) {
    this.lockFile = lockFile;
    this.readers = readers;
    this.jdbi = Jdbi.create(readers);
    this.writerHandle = writerHandle;
    this.writer = new GroupCommit(writerHandle, callers, this::committed);
    for (Effect effect : Effect.values()) {
      listeners.put(effect, new CopyOnWriteArrayList<>());
    }
  }

  /**
   * Opens the store in a folder, creating both if need be.
   *
   * @param callers where the futures of writes are completed
   * @throws StoreException if another process has it open, or it cannot be read or migrated; the
   *     message is fit for the operator
   */
  public static SqliteDatabase open(Path folder, Executor callers) {
    FileChannel lockFile = lock(folder);
    try {
      NativeLibrary.unpackInto(folder);
      SQLiteDataSource source = source(folder.resolve(FILE));
      migrate(folder, source);
      HikariConfig pool = new HikariConfig();
      pool.setPoolName("store-readers");
      pool.setDataSource(source);
      pool.setMaximumPoolSize(READERS);
      pool.setConnectionTimeout(READER_WAIT.toMillis());
      HikariDataSource readers = new HikariDataSource(pool);
      SqliteDatabase database =
          new SqliteDatabase(lockFile, readers, Jdbi.create(source).open(), callers);
      database.writer.start();
      return database;
    } catch (RuntimeException e) {
      close(lockFile);
      throw e;
    }
  }

  private static FileChannel lock(Path folder) {
    try {
      Files.createDirectories(folder);
      FileChannel channel =
          FileChannel.open(
              folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = null;
      try {
        lock = channel.tryLock();
      } catch (OverlappingFileLockException openInThisProcess) {
        // Reported below, like any other holder.
      }
      if (lock == null) {
        channel.close();
        throw new StoreException(
            "the data folder %s is in use by another gateway: stop that one, or choose another folder"
                    .formatted(folder)
                + " with --data");
      }
      return channel;
    } catch (IOException e) {
      throw StoreException.unusable("the data folder " + folder, e);
    }
  }

  private static SQLiteDataSource source(Path file) {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.enforceForeignKeys(true);
    config.setBusyTimeout((int) BUSY_WAIT.toMillis());
    SQLiteDataSource source = new SQLiteDataSource(config);
    source.setUrl("jdbc:sqlite:" + file);
    return source;
  }

  private static void migrate(Path folder, SQLiteDataSource source) {
    try {
      Flyway.configure(SqliteDatabase.class.getClassLoader())
          .dataSource(source)
          .locations("classpath:db/sqlite")
          .load()
          .migrate();
    } catch (FlywayException e) {
      throw new StoreException(
          "the store in %s cannot be opened or migrated, it was left as it is: %s"
              .formatted(folder, e.getMessage()),
          e);
    }
  }

  /**
   * Reads from the newest committed state. Blocks.
   *
   * @throws StoreException if it cannot, or is closed
   */
  <T> T read(Function<Handle, T> query) {
    try {
      return jdbi.withHandle(query::apply);
    } catch (JdbiException e) {
      throw new StoreException("the store cannot be read: " + e.getMessage(), e);
    }
  }

  /** Runs a transaction on the writer; the future completes when it is on disk. */
  <T extends @Nullable Object> CompletableFuture<T> write(GroupCommit.Transaction<T> transaction) {
    return writer.write(transaction);
  }

  /** {@link #write} for a transaction without a result. */
  CompletableFuture<Void> change(Action action) {
    return writer
        .write(
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

  private void committed(Set<Effect> effects) {
    for (Effect effect : effects) {
      listeners.getOrDefault(effect, List.of()).forEach(listener -> tell(effect, listener));
    }
  }

  /** One listener's failure is not the others' (nor, at a stop, the writer's). */
  private static void tell(Effect effect, Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException e) {
      log.atError().addKeyValue("effect", effect).setCause(e).log("A listener of the store failed");
    }
  }

  /** Commits what is waiting, then lets go of the file. */
  @Override
  public void close() {
    writer.close();
    writerHandle.close();
    readers.close();
    close(lockFile);
  }

  private static void close(FileChannel lockFile) {
    try {
      lockFile.close();
    } catch (IOException e) {
      throw new StoreException("the data folder's lock cannot be released", e);
    }
  }
}
