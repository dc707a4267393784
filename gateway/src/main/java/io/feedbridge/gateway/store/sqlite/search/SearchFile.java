package io.feedbridge.gateway.store.sqlite.search;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.folder.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;

/** The file of the index, with one connection that writes and some that read. */
final class SearchFile {

  private static final Logger log = LoggerFactory.getLogger(SearchFile.class);

  private static final String NAME = "feedbridge-search.db";

  /** Time that a connection waits for a lock of the file, in milliseconds. */
  private static final int BUSY_WAIT = 10_000;

  /** Memory for pages of each connection, in KiB; SQLite takes negative numbers as such. */
  private static final int CACHE = -8_192;

  /**
   * Pages of the log until it is copied: 1 MiB. The log then begins anew, over pages that the
   * operating system has not put on the disk yet.
   */
  private static final int CHECKPOINT = 256;

  /** The longest wait for searches, at a start and at a stop. */
  private static final int CHECKPOINT_WAIT_MILLIS = 1_000;

  /** The part of a code of SQLite that tells the kind of failure. */
  private static final int PRIMARY_CODE = 0xff;

  /** Connections that are kept for the next searches. */
  private static final int KEPT = 2;

  private final Path path;
  private final Optional<String> boot;
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final Deque<Connection> readers = new ArrayDeque<>();
  private @Nullable Connection writer;

  /** Whether writes are synchronized although the boot has a name; for the thread that writes. */
  private boolean synchronizing;

  /** Whether a call has met a damaged part of the file since it was made. */
  private volatile boolean damaged;

  SearchFile(Path folder, Optional<String> boot) {
    path = folder.resolve(NAME);
    this.boot = boot;
  }

  /** The run of the operating system in which writes may be lost; empty if they are not. */
  String boot() {
    return boot.orElse("");
  }

  /** Code that speaks to the file. */
  interface Action {
    void run() throws SQLException;
  }

  /** Code that speaks to the file and has a result. */
  interface Call<T> {
    T run() throws SQLException;
  }

  /** Code that reads from the file. */
  interface Read<T> {
    T run(Connection connection) throws SQLException;
  }

  /** The connection that writes; a file of another form, or a damaged file, is made again. */
  Connection writer(int version, List<String> schema) {
    try {
      return opened(version, schema);
    } catch (SQLException e) {
      log.atWarn().setCause(e).log("The search index cannot be read and is made again");
      remove();
    }
    return run(() -> opened(version, schema));
  }

  private Connection opened(int version, List<String> schema) throws SQLException {
    make();
    Connection connection = connect(false);
    writer = connection;
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA wal_autocheckpoint = " + CHECKPOINT);
    }
    int found = version(connection);
    if (found == version) {
      return connection;
    }
    if (found != 0) {
      throw new SQLException("the index has another form: " + found);
    }
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      for (String sql : schema) {
        statement.execute(sql);
      }
      statement.execute("PRAGMA user_version = " + version);
    }
    connection.commit();
    return connection;
  }

  private static int version(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("PRAGMA user_version")) {
      int version = row.getInt(1);
      connection.setAutoCommit(false);
      return version;
    }
  }

  private void make() {
    try {
      if (Files.notExists(path)) {
        Files.createFile(path, OwnerOnly.file(path));
      }
      for (Path file : files()) {
        OwnerOnly.restrict(file);
      }
    } catch (IOException e) {
      throw StoreException.unusable("the search index " + path, e);
    }
  }

  private List<Path> files() {
    return List.of(path, path.resolveSibling(NAME + "-wal"), path.resolveSibling(NAME + "-shm"));
  }

  private Connection connect(boolean readOnly) throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(readOnly);
    if (!readOnly) {
      config.setJournalMode(SQLiteConfig.JournalMode.WAL);
      config.setSynchronous(usually());
      // Otherwise the pages that a failed statement would restore go into a file.
      config.setTempStore(SQLiteConfig.TempStore.MEMORY);
    }
    config.setBusyTimeout(BUSY_WAIT);
    config.setCacheSize(CACHE);
    config.setGetGeneratedKeys(false);
    return config.createConnection("jdbc:sqlite:" + path);
  }

  /**
   * After a loss of power a file that is not synchronized may be damaged anywhere. Where the next
   * process can tell such a loss by the name of the boot, no write is synchronized.
   */
  private SQLiteConfig.SynchronousMode usually() {
    return boot.isPresent() && !synchronizing
        ? SQLiteConfig.SynchronousMode.OFF
        : SQLiteConfig.SynchronousMode.NORMAL;
  }

  /**
   * Runs code that writes, after which this and all earlier writes are on the disk.
   *
   * @return false if the log could not be copied into the file, because another connection reads;
   *     all later writes are synchronized then, since a loss of power could not be told afterwards
   */
  boolean durably(Action action) {
    Connection connection = Objects.requireNonNull(writer, "the file is open");
    return run(
        () -> {
          // The level cannot be changed within a transaction.
          connection.setAutoCommit(true);
          try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA synchronous = FULL");
            action.run();
            statement.execute("PRAGMA busy_timeout = " + CHECKPOINT_WAIT_MILLIS);
            boolean whole;
            try (ResultSet row = statement.executeQuery("PRAGMA wal_checkpoint(TRUNCATE)")) {
              whole = row.getInt(1) == 0;
            }
            statement.execute("PRAGMA busy_timeout = " + BUSY_WAIT);
            synchronizing |= !whole;
            statement.execute("PRAGMA synchronous = " + usually());
            return whole;
          } finally {
            connection.setAutoCommit(false);
          }
        });
  }

  /** Runs code that writes. */
  <T> T run(Call<T> call) {
    try {
      return call.run();
    } catch (SQLException e) {
      damaged |= isDamage(e);
      throw StoreException.general("the search index failed: " + e.getMessage(), e);
    }
  }

  /** A damaged table of FTS5 or of the schema is told as a general error, by its words alone. */
  private static boolean isDamage(SQLException failure) {
    int code = failure.getErrorCode() & PRIMARY_CODE;
    String message = String.valueOf(failure.getMessage());
    return code == SQLiteErrorCode.SQLITE_CORRUPT.code
        || code == SQLiteErrorCode.SQLITE_NOTADB.code
        || message.contains("vtable constructor failed")
        || message.contains("no such table");
  }

  boolean isDamaged() {
    return damaged;
  }

  /** The file was made again. */
  void mended() {
    damaged = false;
  }

  /** Runs code that reads, on a connection of its own. */
  <T> T read(Read<T> read) {
    lock.readLock().lock();
    try {
      return run(
          () -> {
            Connection connection = taken();
            boolean well = false;
            try {
              T result = read.run(connection);
              well = true;
              return result;
            } finally {
              giveBack(connection, well);
            }
          });
    } finally {
      lock.readLock().unlock();
    }
  }

  private Connection taken() throws SQLException {
    synchronized (readers) {
      if (!readers.isEmpty()) {
        return readers.pop();
      }
    }
    return connect(true);
  }

  private void giveBack(Connection connection, boolean well) throws SQLException {
    synchronized (readers) {
      if (well && readers.size() < KEPT) {
        readers.push(connection);
        return;
      }
    }
    connection.close();
  }

  /** Closes and deletes the file. */
  void remove() {
    lock.writeLock().lock();
    try {
      closeAll();
      for (Path file : files()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw StoreException.unusable("the search index " + path, e);
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Closes all connections, after the searches under way. */
  void close() {
    lock.writeLock().lock();
    try {
      closeAll();
    } finally {
      lock.writeLock().unlock();
    }
  }

  private void closeAll() {
    synchronized (readers) {
      readers.forEach(SearchFile::close);
      readers.clear();
    }
    if (writer != null) {
      close(writer);
      writer = null;
    }
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      log.atWarn().setCause(e).log("A connection to the search index was not closed well");
    }
  }
}
