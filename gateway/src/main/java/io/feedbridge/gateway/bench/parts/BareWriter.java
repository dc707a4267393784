package io.feedbridge.gateway.bench.parts;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The reference for intake: one row after the other, each durable before the next. */
final class BareWriter implements Talk.Role {

  private static final int ROW_BYTES = 2_048;

  @Override
  public Object asked(String... words) throws SQLException {
    return Map.of("perSecond", write(Path.of(words[1]), Integer.parseInt(words[2])));
  }

  /** Rows in a second, each in a commit of its own as durable as the gateway's are. */
  private static double write(Path file, int rows) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("PRAGMA journal_mode = WAL");
        statement.execute("PRAGMA synchronous = FULL");
        statement.execute("CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, bytes BLOB)");
      }
      long begun = System.nanoTime();
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO row (bytes) VALUES (?)")) {
        for (int i = 0; i < rows; i++) {
          insert.setBytes(1, new byte[ROW_BYTES]);
          insert.executeUpdate();
        }
      }
      return rows * (double) TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - begun);
    }
  }
}
