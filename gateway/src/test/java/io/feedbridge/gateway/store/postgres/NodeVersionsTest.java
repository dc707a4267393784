package io.feedbridge.gateway.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.sql.database.SchemaVersions;
import io.feedbridge.gateway.vault.KeyFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Only the owner migrates a database, and no node works with a schema that it does not know. */
@Timeout(300)
final class NodeVersionsTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String FUTURE = "99999";

  @TempDir Path folder;

  private final String url = TestServer.shared().empty();
  private final Jdbi beside = PostgresConnections.jdbi(PostgresConnections.source(url));
  private final SystemTimer timer = new SystemTimer(Clock.systemUTC());
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
    timer.close();
  }

  private PostgresNode node(String name) {
    try {
      PostgresNode node =
          PostgresNode.join(
              new PostgresPlace(url, true),
              name,
              Files.createDirectories(folder.resolve(name)),
              Clock.systemUTC(),
              System::nanoTime);
      synchronized (opened) {
        opened.add(node);
      }
      return node;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void open(PostgresNode node) throws Exception {
    PostgresDatabase database =
        PostgresDatabase.open(node, KeyFile.in(folder), Runnable::run, timer);
    opened.add(0, database);
    database
        .change((handle, effects) -> handle.execute("UPDATE log SET start = start"))
        .get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  private List<String> applied() {
    return beside.withHandle(
        handle ->
            handle
                .createQuery("SELECT version FROM flyway_schema_history WHERE version IS NOT NULL")
                .mapTo(String.class)
                .list());
  }

  private static String[] known() {
    return SchemaVersions.of("db/postgres").versions().toArray(String[]::new);
  }

  private long epoch() {
    return beside.withHandle(
        handle -> handle.createQuery("SELECT MAX(epoch) FROM owner").mapTo(Long.class).one());
  }

  /** A database of the oldest version with nodes, and a node of that version which owns it. */
  private NodeSession old() {
    Flyway.configure()
        .dataSource(url, null, null)
        .locations("classpath:db/postgres")
        .target(PostgresMigration.NODES)
        .load()
        .migrate();
    Handle handle = beside.open();
    opened.add(handle);
    NodeSession session = NodeSession.on(handle, "old");
    session.register("old", LONG);
    assertThat(session.own("old")).isPresent();
    return session;
  }

  /** Has the database look like one that a newer gateway has migrated. */
  private void migrateFurther() {
    beside.useHandle(
        handle ->
            handle.execute(
                """
                INSERT INTO flyway_schema_history
                SELECT installed_rank + 1000, ?, description, type, script, checksum, installed_by,
                  installed_on, execution_time, success
                FROM flyway_schema_history WHERE version = '1'
                """,
                FUTURE));
  }

  @Test
  void nodes_that_start_at_once_on_an_empty_database_make_its_tables_once() throws Exception {
    List<CompletableFuture<PostgresNode>> joining =
        Stream.of("first", "second", "third")
            .map(name -> CompletableFuture.supplyAsync(() -> node(name)))
            .toList();
    List<PostgresNode> owners = new ArrayList<>();
    for (CompletableFuture<PostgresNode> one : joining) {
      PostgresNode node = one.get(LONG.toSeconds(), TimeUnit.SECONDS);
      if (node.tryOwn()) {
        owners.add(node);
      }
    }

    assertThat(owners).hasSize(1);
    open(owners.get(0));
    assertThat(applied()).containsExactlyInAnyOrder(known());
  }

  @Test
  void L15_a_newer_node_migrates_nothing_until_it_owns_the_store() throws Exception {
    NodeSession old = old();
    List<String> before = applied();

    PostgresNode newer = node("newer");

    assertThat(newer.tryOwn()).isFalse();
    assertThat(newer.renew()).isTrue();
    assertThat(newer.owner().orElseThrow().name()).isEqualTo("old");
    assertThat(applied()).isEqualTo(before);
    assertThat(old.renew(LONG)).isTrue();

    old.leave();
    assertThat(newer.tryOwn()).isTrue();
    open(newer);
    assertThat(applied()).containsExactlyInAnyOrder(known());
  }

  @Test
  void L15_a_tool_migrates_nothing_while_an_older_node_owns_the_store() {
    old();
    List<String> before = applied();

    assertThatThrownBy(
            () -> PostgresMoveTarget.open(new PostgresPlace(url, true), Clock.systemUTC()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("another gateway writes to this database");
    assertThat(applied()).isEqualTo(before);
  }

  @Test
  void a_node_is_refused_by_a_database_of_a_newer_version() throws Exception {
    PostgresNode first = node("first");
    first.tryOwn();
    open(first);
    first.close();
    migrateFurther();
    long epoch = epoch();

    assertThatThrownBy(() -> node("second"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("newer Feedbridge")
        .hasMessageContaining(FUTURE);
    assertThat(epoch()).isEqualTo(epoch);
  }

  @Test
  void a_standby_does_not_take_a_store_that_a_newer_owner_has_migrated() throws Exception {
    PostgresNode first = node("first");
    first.tryOwn();
    open(first);
    PostgresNode second = node("second");
    long epoch = epoch();
    migrateFurther();
    first.close();

    assertThatThrownBy(second::tryOwn)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("newer Feedbridge");
    assertThat(second.holds()).isFalse();
    assertThat(epoch()).isEqualTo(epoch);
  }
}
