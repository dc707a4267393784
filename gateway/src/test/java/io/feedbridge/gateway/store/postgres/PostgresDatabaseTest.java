package io.feedbridge.gateway.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sqlite.EmptyStore;
import io.feedbridge.gateway.store.subscriptions.ChangedSubscriptions;
import io.feedbridge.gateway.testing.StoredRows;
import io.feedbridge.gateway.vault.KeyFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.spi.JdbiPlugin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class PostgresDatabaseTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path folder;

  private final String url = TestServer.shared().database();
  private final Jdbi beside = PostgresConnections.jdbi(PostgresConnections.source(url));
  private final SystemTimer timer = new SystemTimer(Clock.systemUTC());
  private PostgresDatabase database;

  @BeforeEach
  void openOne() {
    database = open(KeyFile.in(folder));
  }

  @AfterEach
  void end() {
    database.close();
    timer.close();
    TestServer.shared().clean();
  }

  private PostgresDatabase open(KeyFile key) {
    return PostgresDatabase.open(new PostgresPlace(url, true), key, Runnable::run, timer);
  }

  private static void insert(Handle handle, String topic) {
    handle
        .createUpdate(
            """
            INSERT INTO feed (topic, url, kind, state, followed, fetched, advertised)
            VALUES (:topic, '', 'UNKNOWN', 'NEW', 0, '{}', '{}')
            """)
        .bind("topic", topic)
        .execute();
  }

  private CompletableFuture<Void> row(String topic) {
    return database.change((handle, effects) -> insert(handle, topic));
  }

  private List<String> topics() {
    return beside.withHandle(
        handle ->
            handle.createQuery("SELECT topic FROM feed ORDER BY 1").mapTo(String.class).list());
  }

  private static void done(CompletableFuture<?> write) throws Exception {
    write.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  /** Ends the sessions of the gateway, as a restart of the server does. */
  private void endSessions() {
    beside.useHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """)
                .mapTo(Boolean.class)
                .list());
  }

  @Test
  void a_write_that_fails_leaves_the_others_of_its_commit_alone() throws Exception {
    CompletableFuture<Void> first = row("one");
    CompletableFuture<Void> twice = row("one");
    CompletableFuture<Void> other = row("two");

    done(first);
    done(other);
    assertThatThrownBy(() -> done(twice)).hasCauseInstanceOf(StoreException.class);
    assertThat(topics()).containsExactly("one", "two");
  }

  @Test
  void a_second_gateway_is_refused() {
    assertThatThrownBy(() -> open(KeyFile.in(folder)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("another gateway writes to this database");
  }

  @Test
  void a_start_waits_for_the_session_of_a_gateway_that_has_just_ended() {
    CompletableFuture<PostgresDatabase> next =
        CompletableFuture.supplyAsync(() -> open(KeyFile.in(folder)));
    await().atMost(LONG).until(this::isLockAwaited);

    database.close();

    database = next.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
    assertThat(row("one")).succeedsWithin(LONG);
  }

  private boolean isLockAwaited() {
    return beside.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT COUNT(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                .mapTo(Boolean.class)
                .one());
  }

  @Test
  void a_session_that_cannot_be_prepared_does_not_hold_the_lock() {
    database.close();
    DataSource source = PostgresConnections.source(url);
    Jdbi broken = PostgresConnections.jdbi(source);
    PostgresWriter writer =
        new PostgresWriter(
            broken,
            broken.open(),
            Optional.of(new PostgresOwner(PostgresOwner.Writer.FIRST, Long.MAX_VALUE)));
    writer.close();
    // The table that each session makes is there already.
    broken.installPlugin(
        new JdbiPlugin() {
          @Override
          public Handle customizeHandle(Handle handle) {
            handle.execute("CREATE TEMP TABLE changed_subscription (id BIGINT)");
            return handle;
          }
        });

    assertThatThrownBy(writer::begin).isInstanceOf(JdbiException.class);

    await().atMost(LONG).until(() -> !isLockHeld());
    database = open(KeyFile.in(folder));
  }

  private boolean isLockHeld() {
    return beside.withHandle(
        handle ->
            handle
                .createQuery("SELECT COUNT(*) > 0 FROM pg_locks WHERE locktype = 'advisory'")
                .mapTo(Boolean.class)
                .one());
  }

  @Test
  void each_statement_of_a_writer_sees_the_commits_before_it_whatever_the_servers_default() {
    database.close();
    setDefault("'repeatable read'");
    try {
      database = open(KeyFile.in(folder));

      assertThat(
              database.write(
                  Database.SMALL_WRITE_BYTES,
                  (handle, effects) ->
                      handle.select("SHOW transaction_isolation").mapTo(String.class).one()))
          .succeedsWithin(LONG)
          .isEqualTo("read committed");
    } finally {
      setDefault("DEFAULT");
    }
  }

  private void setDefault(String isolation) {
    beside.useHandle(
        handle ->
            handle.execute(
                "ALTER ROLE CURRENT_USER SET default_transaction_isolation TO " + isolation));
  }

  @Test
  void another_key_is_refused() throws Exception {
    database.close();
    Path other = Files.createDirectory(folder.resolve("other"));
    KeyFile.in(other).make(new SecureRandom());

    assertThatThrownBy(() -> open(KeyFile.in(other)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is not the one that the secrets")
        .hasMessageNotContaining("user=");
  }

  @Test
  void a_server_that_loses_commits_is_refused() {
    database.close();

    assertThatThrownBy(() -> PostgresNode.join(url, "one", folder, Clock.systemUTC()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("fsync = off");
  }

  @Test
  void a_server_that_cannot_be_reached_is_named_without_its_login() {
    String nowhere = "jdbc:postgresql://127.0.0.1:1/none?user=me&password=hidden";

    assertThatThrownBy(() -> PostgresNode.join(nowhere, "one", folder, Clock.systemUTC()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("127.0.0.1:1/none")
        .hasMessageNotContaining("hidden");
  }

  @Test
  void sessions_that_end_make_the_store_unhealthy_until_a_probe_succeeds() throws Exception {
    done(row("before"));
    endSessions();
    CompletableFuture<Void> write = row("meanwhile");
    assertThatThrownBy(() -> done(write)).hasCauseInstanceOf(StoreException.class);

    assertThat(database.health()).isInstanceOf(StoreHealth.Refusing.class);
    await().atMost(LONG).until(() -> database.health() == StoreHealth.WRITABLE);
    done(row("after"));
    assertThat(topics()).contains("before", "after");
  }

  @Test
  void L15_a_writer_of_an_older_epoch_writes_nothing() throws Exception {
    beside.useHandle(handle -> handle.execute("UPDATE owner SET epoch = epoch + 1"));

    assertThatThrownBy(() -> done(row("late")))
        .hasRootCauseMessage(
            "another gateway has opened the database: stop one of the two, then restart this one");
    assertThat(topics()).isEmpty();
  }

  @Test
  void changed_subscriptions_are_told_after_the_commit() throws Exception {
    List<ChangedSubscriptions> told = new CopyOnWriteArrayList<>();
    database.onSubscriptionsChanged(told::add);
    done(
        database.change(
            (handle, effects) -> {
              insert(handle, "topic");
              handle.execute(
                  """
                  INSERT INTO subscription
                    (feed_id, protocol, callback, terms, raw, start, lease_ends_at, created_at)
                  SELECT id, 'WEBSUB', 'http://s.example/c', '{}', 0, 0, 0, 0 FROM feed
                  """);
            }));
    assertThat(told).isEmpty();

    done(
        database.change((handle, effects) -> handle.execute("UPDATE subscription SET errors = 1")));
    done(
        database.change(
            (handle, effects) -> handle.execute("UPDATE subscription SET owner = 'x'")));

    assertThat(told).hasSize(1);
    assertThat(told.get(0).ids()).hasSize(1);
  }

  @Test
  void both_engines_have_the_same_tables_and_columns() {
    List<String> here =
        beside.withHandle(
            handle ->
                handle
                    .createQuery(
                        """
                            SELECT table_name || '.' || column_name FROM information_schema.columns
                            WHERE table_schema = 'public' AND table_name <> 'flyway_schema_history'
                              AND table_name NOT IN
                                (SELECT table_name FROM information_schema.views WHERE table_schema = 'public')
                            """)
                    .mapTo(String.class)
                    .list());

    assertThat(new TreeSet<>(here)).isEqualTo(embedded());
  }

  private Set<String> embedded() {
    Path data = folder.resolve("embedded");
    EmptyStore.in(data);
    StoredRows rows = new StoredRows(data);
    List<String> columns = new ArrayList<>();
    Stream<String> tables =
        rows
            .query(
                """
                SELECT name FROM sqlite_master WHERE type = 'table'
                  AND name NOT IN ('sqlite_sequence', 'flyway_schema_history')
                """)
            .stream();
    tables.forEach(
        table ->
            rows.query("SELECT name FROM pragma_table_xinfo('" + table + "')")
                .forEach(column -> columns.add(table + "." + column)));
    return new TreeSet<>(columns);
  }
}
