package io.feedbridge.gateway.store.postgres;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.vault.KeyFile;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL server of tests, which runs until the process ends or it is closed. */
public final class TestServer implements AutoCloseable {

  private static final String MADE = "made";

  /** A database like that, which nothing connects to. */
  private static final String TEMPLATE = "template_store";

  private static final int VALID_WITHIN_SECONDS = 60;
  private static final String CLEAN =
      """
      DO $$
      DECLARE
        one record;
      BEGIN
        SET LOCAL session_replication_role = replica;
        FOR one IN SELECT tablename AS name FROM pg_tables
          WHERE schemaname = 'public' AND tablename <> 'flyway_schema_history'
        LOOP
          -- TRUNCATE makes new files, which is slow; DELETE leaves the pages, through which the next tests read.
          IF pg_relation_size(one.name::regclass) > 262144 THEN
            EXECUTE format('TRUNCATE %I CASCADE', one.name);
          ELSE
            EXECUTE format('DELETE FROM %I', one.name);
          END IF;
        END LOOP;
        -- ALTER SEQUENCE would make a new file of each.
        PERFORM setval(oid, 1, false) FROM pg_class
          WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace;
        INSERT INTO site_ping_count (id, pings) VALUES (1, 0);
        INSERT INTO log (id, start) VALUES (1, 0);
        INSERT INTO tracked (id, position) VALUES (1, 0);
      END
      $$
      """;

  /** The jar with the binaries of another server than the newest, for tests of the oldest one. */
  private static final String BINARIES = System.getProperty("feedbridge.postgres", "");

  private static final Duration STARTED_WITHIN = Duration.ofMinutes(2);

  /** The servers of this process, by whether their commits are durable. */
  private static final Map<Boolean, TestServer> SHARED = new HashMap<>();

  private final EmbeddedPostgres server;
  private final AtomicInteger names = new AtomicInteger();
  private @Nullable Connection cleaning;

  private TestServer(EmbeddedPostgres server) {
    this.server = server;
  }

  /**
   * The server of the tests of one process, which has a database as a first start leaves it. It
   * keeps nothing over a crash of its own.
   */
  public static TestServer shared() {
    return shared(false);
  }

  /** {@link #shared} with durable commits, as nodes want it. */
  public static TestServer sharedDurable() {
    return shared(true);
  }

  private static TestServer shared(boolean durable) {
    synchronized (SHARED) {
      return SHARED.computeIfAbsent(durable, TestServer::begun);
    }
  }

  private static TestServer begun(boolean durable) {
    TestServer started = start(durable);
    started.execute("CREATE DATABASE " + TEMPLATE);
    started.migrate(started.url(TEMPLATE));
    started.execute("CREATE DATABASE " + MADE + " TEMPLATE " + TEMPLATE);
    return started;
  }

  private void migrate(String url) {
    DataSource source = PostgresConnections.source(url);
    PostgresConnections.jdbi(source)
        .useHandle(
            handle -> {
              PostgresMigration.prepare(handle, source);
              PostgresMigration.run(handle, source);
            });
  }

  /** A server of its own, whose commits are durable. */
  public static TestServer durable() {
    return start(true);
  }

  private static TestServer start(boolean durable) {
    String safe = durable ? "on" : "off";
    EmbeddedPostgres.Builder server =
        EmbeddedPostgres.builder()
            // The builder's own choice may be taken by a connection while the server is made.
            .setPort(FreePort.next())
            .setPGStartupWait(STARTED_WITHIN)
            .setServerConfig("fsync", safe)
            .setServerConfig("synchronous_commit", safe)
            .setServerConfig("full_page_writes", safe)
            .setServerConfig("autovacuum", safe);
    if (!BINARIES.isEmpty()) {
      server.setPgBinaryResolver((system, machine) -> archive(Path.of(BINARIES)));
    }
    try {
      return new TestServer(server.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The archive of binaries in a jar, which the server's builder closes. */
  private static InputStream archive(Path jar) throws IOException {
    ZipInputStream entries = new ZipInputStream(Files.newInputStream(jar));
    for (ZipEntry one = entries.getNextEntry(); one != null; one = entries.getNextEntry()) {
      if (one.getName().endsWith(".txz")) {
        return entries;
      }
    }
    throw new IOException("no binaries in " + jar);
  }

  /** The folder with the programs of the server. */
  public Path programs() {
    String data = query("SHOW data_directory");
    try {
      long pid = Long.parseLong(Files.readAllLines(Path.of(data, "postmaster.pid")).get(0));
      String program = ProcessHandle.of(pid).orElseThrow().info().command().orElseThrow();
      return Objects.requireNonNull(Path.of(program).getParent());
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

  /** The URL of a new database as a first start leaves it, on the shared server. */
  public String made() {
    return copy(TEMPLATE);
  }

  private String copy(String database) {
    String name = "store" + names.incrementAndGet();
    execute("CREATE DATABASE " + name + " TEMPLATE " + database);
    return url(name);
  }

  /** A copy of a database as it is now; the database takes no connections from now on. */
  public String copyAfterCrash(String url) {
    String name = name(url);
    execute("ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS false");
    execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '"
            + name
            + "'");
    return copy(name);
  }

  /** Removes a database. */
  public void drop(String url) {
    execute("DROP DATABASE " + name(url) + " WITH (FORCE)");
  }

  private static String name(String url) {
    return URI.create(url.substring("jdbc:".length())).getPath().substring(1);
  }

  /** Opens a database with the tables of a store, on a server of tests. */
  public static PostgresDatabase open(String url, KeyFile key, Executor callers, Timer timer) {
    return PostgresDatabase.open(new PostgresPlace(url, true), key, callers, timer);
  }

  /** Ends the sessions of all gateways, as a restart of the server does. */
  public void endSessions() {
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE application_name LIKE 'fb:%'");
  }

  /**
   * Kills a process of the server, which has all of its sessions end at once and its log replayed,
   * as after a crash. Returns when it takes connections again.
   *
   * @param backend of one session
   */
  public void crash(long backend) {
    ProcessHandle.of(backend).ifPresent(ProcessHandle::destroyForcibly);
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(
            () -> {
              execute("SELECT 1");
              return ProcessHandle.of(backend).isEmpty();
            });
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The URL of the database with the tables of an empty store, for one test at a time. */
  String database() {
    return url(MADE);
  }

  /** Empties the database, which takes a tenth of the time that a new one takes. */
  synchronized void clean() {
    try (Statement made = cleaner().createStatement()) {
      made.execute(CLEAN);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A session that is kept knows all tables already; a test may have ended it with the others. */
  private Connection cleaner() throws SQLException {
    if (cleaning == null || !cleaning.isValid(VALID_WITHIN_SECONDS)) {
      cleaning = server.getDatabase("postgres", MADE).getConnection();
    }
    return cleaning;
  }

  private String url(String database) {
    return server.getJdbcUrl("postgres", database);
  }

  private String query(String statement) {
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement made = connection.createStatement();
        ResultSet rows = made.executeQuery(statement)) {
      rows.next();
      return rows.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
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
