package io.feedbridge.gateway.store.postgres;

import io.feedbridge.gateway.testing.StoredRows;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Rows in each table of an embedded store, made from its schema. No rule of the store made them.
 */
final class AllKindsOfRows {

  private static final int ROWS = 3;

  private static final String TABLES =
      """
      SELECT name FROM sqlite_schema WHERE type = 'table'
        AND name NOT IN ('sqlite_sequence', 'flyway_schema_history', 'node', 'owner',
          'owner_beside', 'takeover', 'moved')
      """;

  private final Path data;
  private final StoredRows rows;

  AllKindsOfRows(Path data) {
    this.data = data;
    rows = new StoredRows(data);
  }

  private record Column(String name, String type, boolean nullable, boolean generated) {}

  private List<Column> columns(String table) {
    return rows
        .query(
            "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo('" + table + "')")
        .stream()
        .map(line -> line.split("\\|", -1))
        .map(
            parts ->
                new Column(
                    parts[0],
                    parts[1],
                    parts[2].equals("0") && parts[3].equals("0"),
                    !parts[4].equals("0")))
        .toList();
  }

  /** Puts rows in, of which the last one has no value that may be missing. */
  void fill() {
    try (Connection connection =
        DriverManager.getConnection("jdbc:sqlite:" + data.resolve("feedbridge.db"))) {
      for (String table : rows.query(TABLES)) {
        boolean single =
            rows.query("SELECT sql FROM sqlite_schema WHERE name = '" + table + "'")
                .get(0)
                .contains("CHECK (id = 1)");
        if (!single) {
          for (int i = 1; i <= ROWS; i++) {
            insert(connection, table, i);
          }
        } else if (rows.count(table) == 0) {
          insert(connection, table, 1);
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void insert(Connection connection, String table, int number) throws SQLException {
    List<Column> written = columns(table).stream().filter(one -> !one.generated).toList();
    String statement =
        "INSERT OR REPLACE INTO \"%s\" (%s) VALUES (%s)"
            .formatted(
                table,
                String.join(", ", written.stream().map(one -> '"' + one.name + '"').toList()),
                String.join(", ", written.stream().map(one -> "?").toList()));
    try (PreparedStatement insert = connection.prepareStatement(statement)) {
      for (int i = 0; i < written.size(); i++) {
        insert.setObject(i + 1, value(written.get(i), number));
      }
      insert.execute();
    }
  }

  private static @Nullable Object value(Column column, int number) {
    boolean none = number == ROWS;
    if (column.name.equals("state")) {
      return none ? "PARKED" : "BEHIND";
    }
    if (none && column.nullable) {
      return null;
    }
    if (column.name.equals("callback")) {
      return "HTTPS://Me:p%40@Höst-" + number + ".Example:8443?a/b";
    }
    return switch (column.type) {
      case "TEXT" -> "\\N\t\"é€\uD83D\uDE00\n" + number;
      case "BLOB" -> new byte[] {0, 1, -1, '\n', '\\', (byte) number};
      default -> (long) number;
    };
  }

  /** All rows of the embedded store, by table, sorted. */
  Map<String, List<String>> read() {
    Map<String, List<String>> all = new TreeMap<>();
    for (String table : rows.query(TABLES)) {
      all.put(table, rows.query(query(table)).stream().sorted().toList());
    }
    return all;
  }

  private String query(String table) {
    List<String> names = columns(table).stream().map(one -> '"' + one.name + '"').toList();
    return "SELECT %s FROM \"%s\"".formatted(String.join(", ", names), table);
  }

  /** All rows of the same tables of a PostgreSQL database, likewise. */
  Map<String, List<String>> read(Jdbi database) {
    Map<String, List<String>> all = new TreeMap<>();
    database.useHandle(
        handle -> {
          for (String table : rows.query(TABLES)) {
            try (Statement statement = handle.getConnection().createStatement();
                ResultSet found = statement.executeQuery(query(table))) {
              all.put(table, lines(found).stream().sorted().toList());
            } catch (SQLException e) {
              throw new IllegalStateException(table, e);
            }
          }
        });
    return all;
  }

  private static List<String> lines(ResultSet found) throws SQLException {
    List<String> lines = new ArrayList<>();
    int columns = found.getMetaData().getColumnCount();
    while (found.next()) {
      List<String> values = new ArrayList<>();
      for (int column = 1; column <= columns; column++) {
        Object value = found.getObject(column);
        values.add(value instanceof byte[] bytes ? Arrays.toString(bytes) : "" + value);
      }
      lines.add(String.join("|", values));
    }
    return lines;
  }
}
