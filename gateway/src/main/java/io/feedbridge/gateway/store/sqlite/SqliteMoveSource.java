package io.feedbridge.gateway.store.sqlite;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.move.MoveMark;
import io.feedbridge.gateway.store.sql.move.MoveSource;
import io.feedbridge.gateway.store.sql.move.StoredTable;
import io.feedbridge.gateway.vault.KeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;

/**
 * The store of a folder, which is moved away. It is brought up to date and its secrets are
 * encrypted first. From then on it is locked against other writers.
 */
public final class SqliteMoveSource implements MoveSource {

  private final Path file;
  private final String name;
  private final Opened opened;
  private final Handle handle;

  private SqliteMoveSource(Path folder, Opened opened) {
    this.opened = opened;
    file = DataFolder.database(folder);
    name = name(folder);
    handle = Connections.jdbi(Connections.writing(file)).open();
    handle.execute("BEGIN IMMEDIATE");
  }

  private static String name(Path folder) {
    return folder.toAbsolutePath().normalize().toString();
  }

  /**
   * Opens the store of a folder.
   *
   * @throws StoreException if there is none, a gateway has it open, it cannot be read, or the key
   *     is not the one; the message is fit for the operator
   */
  public static SqliteMoveSource open(Path folder, KeyFile keyFile) {
    requireStore(folder);
    Opened opened = new Opened(folder, keyFile);
    boolean whole = false;
    try {
      SqliteMoveSource source = new SqliteMoveSource(folder, opened);
      whole = true;
      return source;
    } catch (JdbiException e) {
      throw FileCheck.unreadable(DataFolder.database(folder), e);
    } finally {
      if (!whole) {
        opened.close();
      }
    }
  }

  /** The store as a gateway opens it: locked, checked and up to date. */
  private static final class Opened implements AutoCloseable {

    private final SystemTimer timer = new SystemTimer(Clock.systemUTC());
    private final SqliteDatabase database;

    Opened(Path folder, KeyFile keyFile) {
      boolean whole = false;
      try {
        database = SqliteDatabase.open(folder, keyFile, Runnable::run, timer);
        whole = true;
      } finally {
        if (!whole) {
          timer.close();
        }
      }
    }

    @Override
    public void close() {
      database.close();
      timer.close();
    }
  }

  private static void requireStore(Path folder) {
    if (Files.notExists(DataFolder.database(folder))) {
      throw new StoreException("there is no store in %s to move".formatted(folder));
    }
  }

  /**
   * The mark of a store that was moved away. Writes nothing.
   *
   * @throws StoreException if there is no store, or it cannot be read
   */
  public static Optional<MoveMark> markOf(Path folder) {
    requireStore(folder);
    Path file = DataFolder.database(folder);
    try {
      return Connections.jdbi(Connections.reading(file)).withHandle(SqliteMoveSource::mark);
    } catch (JdbiException e) {
      throw FileCheck.unreadable(file, e);
    }
  }

  /** The mark of a database, which may be empty or of an earlier version. */
  private static Optional<MoveMark> mark(Handle handle) {
    boolean hasTable =
        handle
            .createQuery("SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = :name")
            .bind("name", MoveMark.TABLE)
            .mapTo(Boolean.class)
            .one();
    return hasTable ? MoveMark.in(handle) : Optional.empty();
  }

  /**
   * Refuses a store that was moved away. Writes nothing.
   *
   * @throws StoreException with the name of the store that has the rows now
   */
  static void refuseMoved(Path file, Handle handle) {
    mark(handle)
        .ifPresent(
            mark -> {
              throw mark.refusal(file.toString());
            });
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Set<String> tables() {
    return handle
        .createQuery(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND name NOT IN ('flyway_schema_history', 'node', 'owner', 'owner_beside', 'takeover',
                'moved')
            """)
        .mapTo(String.class)
        .set();
  }

  @Override
  public void read(StoredTable table, Each each) throws IOException {
    String query = "SELECT %s FROM %s".formatted(table.columnList(), table.quoted());
    try (Statement statement = handle.getConnection().createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        each.row(rows);
      }
    } catch (SQLException e) {
      throw new StoreException(
          "the store %s cannot be read: %s".formatted(file, SqliteFailures.reason(e, file)), e);
    }
  }

  @Override
  public long highest(String table) {
    return handle
        .createQuery("SELECT seq FROM sqlite_sequence WHERE name = :table")
        .bind("table", table)
        .mapTo(Long.class)
        .findOne()
        .orElse(0L);
  }

  @Override
  public long epoch() {
    return handle.createQuery("SELECT epoch FROM owner WHERE id = 1").mapTo(Long.class).one();
  }

  @Override
  public void mark(MoveMark mark) {
    try {
      mark.write(handle);
      handle.execute("COMMIT");
    } catch (JdbiException e) {
      throw new StoreException(
          "the store %s cannot be marked as moved: %s; run feedbridge migrate again"
              .formatted(file, SqliteFailures.reason(e, file)),
          e);
    }
  }

  @Override
  public void close() {
    handle.close();
    opened.close();
  }
}
