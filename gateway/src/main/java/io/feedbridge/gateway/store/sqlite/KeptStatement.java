package io.feedbridge.gateway.store.sqlite;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;
import org.sqlite.core.DB;
import org.sqlite.jdbc4.JDBC4PreparedStatement;
import org.sqlite.jdbc4.JDBC4ResultSet;

/**
 * A compiled statement that can be used again. The values that it was given stay with it, as copies
 * of SQLite's, until it is given others; they are not taken away between two uses, since SQLite may
 * have planned by them, and would compile it anew.
 */
final class KeptStatement extends JDBC4PreparedStatement {

  /** Bytes of the values of one use; a statement with more is held no longer than it is needed. */
  static final int MAX_KEPT_VALUES_BYTES = 16 << 10;

  /** Lists of any length make a statement for each length. */
  static final int MAX_KEPT_VALUES = 32;

  /**
   * Statements that do all of their work when they are run. Much of the work of a {@code PRAGMA} is
   * done when it is compiled, except for a checkpoint. A statement that changes the schema is not
   * run twice.
   */
  private static final Pattern RUN_AGAIN =
      Pattern.compile(
          "\\s*(SELECT|INSERT|UPDATE|DELETE|WITH|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE"
              + "|PRAGMA wal_checkpoint)\\b.*",
          Pattern.DOTALL);

  private final boolean runAgain;
  private @Nullable UsedRows rows;
  private String[] names = {};
  private Map<String, Integer> columns = Map.of();

  /** The sizes of the values by their positions, which begin at 1. */
  private final int[] sizes;

  private int bytes;
  private boolean failed;

  /** Compiles it. */
  KeptStatement(SQLiteConnection connection, String sql) throws SQLException {
    super(connection, sql);
    sizes = new int[paramCount + 1];
    runAgain = paramCount <= MAX_KEPT_VALUES && RUN_AGAIN.matcher(sql).matches();
  }

  String sql() {
    return sql;
  }

  @Override
  protected void batch(int position, @Nullable Object value) throws SQLException {
    bytes += size(value) - sizes[position];
    sizes[position] = size(value);
    super.batch(position, value);
  }

  private static int size(@Nullable Object value) {
    if (value instanceof byte[] bytes) {
      return bytes.length;
    }
    return value instanceof String text ? text.length() : 0;
  }

  @Override
  public boolean execute() throws SQLException {
    failed = true;
    boolean rows = super.execute();
    failed = false;
    return rows;
  }

  @Override
  public int[] executeBatch() throws SQLException {
    failed = true;
    int[] counts = super.executeBatch();
    failed = false;
    return counts;
  }

  /**
   * Each use has rows of its own: a caller that closes the rows of an earlier use must not close
   * these.
   */
  @Override
  public @Nullable ResultSet getResultSet() throws SQLException {
    int count = pointer.safeRunInt(DB::column_count);
    if (count == 0) {
      return super.getResultSet();
    }
    if (count != names.length) {
      names = pointer.safeRun(DB::column_names);
      columns = new HashMap<>();
    }
    rows = new UsedRows(this);
    resultsWaiting = false;
    return rows;
  }

  /** The rows of one use. The names of the columns are looked up for the first use only. */
  private static final class UsedRows extends JDBC4ResultSet {
    UsedRows(KeptStatement statement) {
      super(statement);
      cols = statement.names;
      colsMeta = statement.names;
      columnNameToIndex = statement.columns;
      emptyResultSet = !statement.resultsWaiting;
      open = true;
    }
  }

  /**
   * Ends a use of the statement, whether or not its rows were read, so that it holds no lock on the
   * file.
   *
   * @return false if the statement cannot be used again; the caller must close it then
   */
  boolean end() throws SQLException {
    if (!runAgain || failed || bytes > MAX_KEPT_VALUES_BYTES || pointer.isClosed()) {
      return false;
    }
    if (rows != null) {
      rows.close();
      rows = null;
    }
    // A statement whose rows were never requested has no result set to close, but it is still
    // running.
    pointer.safeRunConsume(DB::reset);
    resultsWaiting = false;
    clearBatch();
    // A value that the next use does not set is null then, not the value of this use.
    batch = new Object[paramCount];
    Arrays.fill(sizes, 0);
    bytes = 0;
    return true;
  }
}
