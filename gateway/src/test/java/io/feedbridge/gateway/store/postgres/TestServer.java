package io.feedbridge.gateway.store.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A PostgreSQL server of tests, which runs until the process ends or it is closed. */
public final class TestServer implements AutoCloseable {

  private static final String MADE = "made";
  private static final TestServer SHARED = shared(false);

  private final EmbeddedPostgres server;
  private final AtomicInteger names = new AtomicInteger();

  private TestServer(EmbeddedPostgres server) {
    this.server = server;
  }

  /**
   * The server of the tests of one process, which has a database as a first start leaves it. It
   * keeps nothing over a crash of its own.
   */
  static TestServer shared() {
    return SHARED;
  }

  private static TestServer shared(boolean durable) {
    TestServer started = start(durable);
    started.execute("CREATE DATABASE " + MADE);
    PostgresMigration.run(PostgresConnections.source(started.url(MADE)));
    return started;
  }

  /** A server of its own, whose commits are durable. */
  public static TestServer durable() {
    return start(true);
  }

  private static TestServer start(boolean durable) {
    String safe = durable ? "on" : "off";
    try {
      return new TestServer(
          EmbeddedPostgres.builder()
              .setServerConfig("fsync", safe)
              .setServerConfig("synchronous_commit", safe)
              .setServerConfig("full_page_writes", safe)
              .setServerConfig("autovacuum", safe)
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The URL of a new database without tables. */
  public String empty() {
    String name = "store" + names.incrementAndGet();
    execute("CREATE DATABASE " + name);
    return url(name);
  }

  /** Ends the sessions of all gateways, as a restart of the server does. */
  public void endSessions() {
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE application_name = 'feedbridge'");
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The URL of a new database with the tables of an empty store. */
  String database() {
    String name = "store" + names.incrementAndGet();
    execute("CREATE DATABASE " + name + " TEMPLATE " + MADE + " STRATEGY FILE_COPY");
    return url(name);
  }

  /** Removes a database that no connection uses. */
  void drop(String url) {
    execute("DROP DATABASE " + url.replaceFirst(".*/(\\w+)\\?.*", "$1"));
  }

  private String url(String database) {
    return server.getJdbcUrl("postgres", database);
  }

  private void execute(String statement) {
    DataSource source = server.getPostgresDatabase();
    try (Connection connection = source.getConnection();
        Statement made = connection.createStatement()) {
      made.execute(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
