package io.feedbridge.gateway.bench.parts;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The reference for intake: rows of one commit each, as durable as the gateway's are. */
final class BareWriter implements Talk.Role {

  private static final int ROW_BYTES = 2_048;

  /** A server joins the commits of several connections; a file has one writer. */
  private static final int CONNECTIONS = 16;

  @Override
  public Object asked(String... words) throws Exception {
    int rows = Integer.parseInt(words[2]);
    boolean server = words[1].startsWith("jdbc:");
    return Map.of(
        "perSecond",
        server
            ? write(words[1], "id BIGSERIAL PRIMARY KEY, bytes BYTEA", CONNECTIONS, rows)
            : write(
                "jdbc:sqlite:" + words[1] + "?journal_mode=WAL&synchronous=FULL",
                "id INTEGER PRIMARY KEY, bytes BLOB",
                1,
                rows));
  }

  /** Rows in a second, of all connections together. */
  private static double write(String url, String columns, int connections, int rows)
      throws Exception {
    prepare(url, columns);
    AtomicInteger left = new AtomicInteger(rows);
    ExecutorService threads = Executors.newFixedThreadPool(connections);
    long begun = System.nanoTime();
    List<Future<Boolean>> ends =
        threads.invokeAll(Collections.nCopies(connections, () -> write(url, left)));
    long took = System.nanoTime() - begun;
    threads.shutdown();
    for (Future<Boolean> end : ends) {
      boolean unused = end.get();
    }
    return rows * (double) TimeUnit.SECONDS.toNanos(1) / took;
  }

  private static void prepare(String url, String columns) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE IF NOT EXISTS bare_row (" + columns + ")");
    }
  }

  private static boolean write(String url, AtomicInteger left) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO bare_row (bytes) VALUES (?)")) {
      while (left.getAndDecrement() > 0) {
        insert.setBytes(1, new byte[ROW_BYTES]);
        insert.executeUpdate();
      }
    }
    return true;
  }
}
