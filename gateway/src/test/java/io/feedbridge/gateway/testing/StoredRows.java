package io.feedbridge.gateway.testing;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a running gateway has stored, read from beside it. It sees what is committed and nothing
 * else.
 */
public final class StoredRows {

  private final String url;

  /** Of a data folder. */
  public StoredRows(Path data) {
    this("jdbc:sqlite:file:" + data.resolve("feedbridge.db") + "?mode=ro");
  }

  private StoredRows(String url) {
    this.url = url;
  }

  /** Of a store in PostgreSQL, by its JDBC URL. */
  public static StoredRows at(String url) {
    return new StoredRows(url);
  }

  /**
   * Opens a data folder's database once for writing, which replays what a killed gateway has left
   * in the write-ahead log.
   */
  public static void recover(Path data) {
    change(data, "PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** Changes a data folder's database that no gateway has open. */
  public static void change(Path data, String sql) {
    changeAt("jdbc:sqlite:" + data.resolve("feedbridge.db"), sql);
  }

  /** Changes a database that no gateway has open, by its JDBC URL. */
  public static void changeAt(String url, String sql) {
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(connection, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Keeps everybody else from writing, as a disk does that is very slow. */
  public static final class Lock implements AutoCloseable {

    private final Connection connection;

    private Lock(Connection connection) {
      this.connection = connection;
    }

    /** Whether it is not closed. */
    public boolean isHeld() {
      try {
        return !connection.isClosed();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      try (connection) {
        execute(connection, "ROLLBACK");
      } catch (SQLException e) {
        throw new IllegalStateException("the lock cannot be released", e);
      }
    }
  }

  /** Locks a data folder's database until the lock is closed. */
  public static Lock lock(Path data) {
    try {
      Connection connection =
          DriverManager.getConnection("jdbc:sqlite:" + data.resolve("feedbridge.db"));
      execute(connection, "PRAGMA busy_timeout = 10000");
      execute(connection, "BEGIN IMMEDIATE");
      return new Lock(connection);
    } catch (SQLException e) {
      throw new IllegalStateException("the database cannot be locked", e);
    }
  }

  /** Keeps everybody else from writing a table in PostgreSQL until the lock is closed. */
  public static Lock lockAt(String url, String table) {
    try {
      Connection connection = DriverManager.getConnection(url);
      execute(connection, "BEGIN");
      execute(connection, "LOCK TABLE " + table + " IN EXCLUSIVE MODE");
      return new Lock(connection);
    } catch (SQLException e) {
      throw new IllegalStateException("the table cannot be locked", e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * Every row of every table: what must be the same after a request that was refused. The clock is
   * written by itself.
   */
  public Map<String, List<String>> all() {
    try (Connection connection = DriverManager.getConnection(url)) {
      Map<String, List<String>> tables = new LinkedHashMap<>();
      for (String table :
          query(
              connection,
              "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('clock', 'search_due') ORDER BY 1")) {
        tables.put(table, query(connection, "SELECT * FROM " + table));
      }
      return tables;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The rows of a query, the columns of each joined by a bar. */
  public List<String> query(String sql) {
    try (Connection connection = DriverManager.getConnection(url)) {
      return query(connection, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private static List<String> query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      int columns = rows.getMetaData().getColumnCount();
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        List<String> values = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
          Object value = rows.getObject(column);
          values.add(value instanceof byte[] bytes ? Arrays.toString(bytes) : "" + value);
        }
        found.add(String.join("|", values));
      }
      return found;
    }
  }

  /** How many rows a table has, with a condition such as {@code WHERE state = 'ACTIVE'}. */
  public int count(String tableAndCondition) {
    return Integer.parseInt(query("SELECT count(*) FROM " + tableAndCondition).get(0));
  }

  /**
   * Whether nothing is under way or due at once: laggards that wait for a later try may be, and
   * requests to a hub that pauses.
   */
  public boolean settled() {
    return query(
            """
            SELECT (SELECT count(*) FROM work) + (SELECT count(*) FROM round)
              + (SELECT count(*) FROM feed WHERE head > rounded)
              + (SELECT count(*) FROM feed WHERE revision > chosen_revision)
              + (SELECT count(*) FROM feed WHERE followed = 1 AND tried = 0)
              + (SELECT count(*) FROM laggard WHERE state IN ('IN_FLIGHT', 'JUMPED'))
              + (SELECT count(*) FROM following
                 WHERE (state = 'REQUESTING' OR (state = 'ENDING' AND attempts = 0))
                   AND NOT EXISTS
                     (SELECT 1 FROM endpoint
                      WHERE paused_until IS NOT NULL AND url LIKE '%//' || host || '/%'))
              + (SELECT count(*) FROM verification WHERE attempts = 0)
            """)
        .get(0)
        .equals("0");
  }
}
