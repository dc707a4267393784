package io.feedbridge.gateway.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.offline.Migrate;
import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.Users.PasswordHash;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.sql.move.Move;
import io.feedbridge.gateway.store.sql.move.MoveMark;
import io.feedbridge.gateway.store.sql.move.MoveSource;
import io.feedbridge.gateway.store.sql.move.MoveTarget;
import io.feedbridge.gateway.store.sql.move.RowSum;
import io.feedbridge.gateway.store.sql.move.StoredTable;
import io.feedbridge.gateway.store.sqlite.EmptyStore;
import io.feedbridge.gateway.store.sqlite.SqliteAccounts;
import io.feedbridge.gateway.store.sqlite.SqliteBackup;
import io.feedbridge.gateway.store.sqlite.SqliteDatabase;
import io.feedbridge.gateway.store.sqlite.SqliteMoveSource;
import io.feedbridge.gateway.testing.StoredRows;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The embedded store becomes one in PostgreSQL, with every row. */
@Timeout(300)
final class MoveTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  @TempDir Path folder;

  private final String url = TestServer.shared().database();
  private final Jdbi beside = PostgresConnections.jdbi(PostgresConnections.source(url));
  private final SystemTimer timer = new SystemTimer(Clock.systemUTC());
  private final Map<String, Long> counts = new HashMap<>();
  private Path data;

  @BeforeEach
  void make() {
    data = folder.resolve("data");
    EmptyStore.in(data);
  }

  @AfterEach
  void clean() {
    timer.close();
    TestServer.shared().clean();
  }

  private PostgresMoveTarget target() {
    return PostgresMoveTarget.open(new PostgresPlace(url, true), Clock.systemUTC());
  }

  private SqliteMoveSource source() {
    return SqliteMoveSource.open(data, KeyFile.in(data));
  }

  private void move() {
    try (MoveSource source = source();
        MoveTarget target = target()) {
      move(source, target);
    }
  }

  private void move(MoveSource source, MoveTarget target) {
    new Move(source, target).run("token", NOW, one -> counts.put(one.table(), one.rows()));
  }

  private PostgresDatabase open() {
    return PostgresDatabase.open(
        new PostgresPlace(url, true), KeyFile.in(data), Runnable::run, timer);
  }

  private <T> T value(String query, Class<T> type) {
    return beside.withHandle(handle -> handle.createQuery(query).mapTo(type).one());
  }

  private static void assertRefused(Runnable action, String... says) {
    assertThatThrownBy(action::run)
        .isInstanceOf(StoreException.class)
        .message()
        .contains(says)
        .doesNotContain("user=");
  }

  @Test
  void rows_of_all_kinds_are_moved_with_their_ids() {
    AllKindsOfRows rows = new AllKindsOfRows(data);
    rows.fill();
    Map<String, List<String>> before = rows.read();

    move();

    assertThat(before).hasSizeGreaterThan(35).allSatisfy((name, of) -> assertThat(of).isNotEmpty());
    assertThat(counts).containsOnlyKeys(before.keySet());
    assertThat(counts)
        .allSatisfy((name, of) -> assertThat(before.get(name)).hasSize(of.intValue()));
    assertThat(rows.read(beside)).isEqualTo(before);
  }

  @Test
  void work_subscriptions_and_secrets_are_found_by_a_gateway_on_the_database() {
    FollowedFeed feed;
    long seq;
    byte[] key;
    try (SqliteDatabase embedded = SqliteDatabase.open(data, Runnable::run)) {
      Store store = new Store(embedded);
      key = store.key(() -> new byte[] {1, 2, 3}).join();
      feed = store.feeds().follow("https://origin.example/", NOW).join();
      seq = store.feeds().record(OutcomeBuilder.of(feed, NOW).event(1).build()).join().get(0);
      SqlWork work = new SqlWork(embedded);
      work.add(new WorkItem.Light(feed.id(), Via.PING, NOW)).join();
    }

    move();

    try (PostgresDatabase moved = open()) {
      Store store = new Store(moved);
      assertThat(store.key(() -> new byte[0]).join()).isEqualTo(key);
      assertThat(store.feeds().byId(feed.id()).orElseThrow().topic()).isEqualTo(feed.topic());
      assertThat(new SqlWork(moved).take(10))
          .extracting(Assignment::feedId)
          .containsExactly(feed.id());
      FollowedFeed now = store.feeds().byId(feed.id()).orElseThrow();
      assertThat(store.feeds().record(OutcomeBuilder.of(now, NOW).event(2).build()).join())
          .containsExactly(seq + 1);
    }
  }

  @Test
  void a_number_of_a_row_that_is_gone_is_not_used_again() {
    StoredRows.change(data, "UPDATE sqlite_sequence SET seq = 41 WHERE name = 'event'");
    StoredRows.change(data, "INSERT INTO sqlite_sequence (name, seq) VALUES ('event', 41)");

    move();

    assertThat(value("SELECT nextval(pg_get_serial_sequence('event', 'seq'))", Long.class))
        .isEqualTo(42);
  }

  @Test
  void triggers_work_again_after_a_move() {
    new AllKindsOfRows(data).fill();
    move();

    beside.useHandle(
        handle -> {
          handle.execute("DELETE FROM search_due");
          handle.execute(
              "INSERT INTO entry (feed_id, entry_key, at, payload) VALUES (2, '', 0, '')");
          assertThat(handle.createQuery("SELECT feed_id FROM search_due").mapTo(Long.class).list())
              .containsExactly(2L);
        });
  }

  @Test
  void epochs_go_on_and_never_back() {
    StoredRows.change(data, "UPDATE owner SET epoch = 70");

    move();

    try (PostgresDatabase moved = open()) {
      assertThat(moved.epoch()).isGreaterThan(70);
    }
  }

  @Test
  void a_store_that_was_moved_is_refused_with_the_name_of_the_other_one() {
    move();

    String[] says = {"was moved to jdbc:postgresql://", "start the gateway with --store"};
    assertRefused(() -> SqliteDatabase.open(data, Runnable::run), says);
    PasswordHash password = new PasswordHash("m", new byte[1], new byte[1]);
    assertRefused(() -> new SqliteAccounts(data).addUser("u", password, false, NOW), says);
    assertRefused(() -> SqliteBackup.write(data, folder.resolve("backup"), false), says);
    assertRefused(this::move, says);
    assertRefused(() -> migrate(url), says);
  }

  private void migrate(String to) {
    var unused =
        Migrate.run(data, Optional.empty(), to, Clock.systemUTC(), (table, rows, replaced) -> {});
  }

  @Test
  void a_folder_without_a_store_is_refused() {
    data = folder.resolve("none");
    assertRefused(() -> migrate(url), "there is no store in");
    assertThat(data).doesNotExist();
  }

  @Test
  void a_database_that_is_in_use_is_refused() {
    open().close();

    assertRefused(this::move, "is not empty", "make an empty database");
    SqliteDatabase.open(data, Runnable::run).close();
  }

  @Test
  void a_database_with_an_open_gateway_is_refused_and_so_is_a_folder_with_one() {
    try (PostgresDatabase gateway = open()) {
      assertThat(gateway.epoch()).isPositive();
      assertRefused(this::move, "another gateway writes to this database");
    }
    try (SqliteDatabase gateway = SqliteDatabase.open(data, Runnable::run)) {
      assertThat(gateway.epoch()).isPositive();
      assertRefused(this::move, "in use by another gateway");
    }
  }

  @Test
  void no_other_process_changes_the_store_during_a_move() throws SQLException {
    try (MoveSource source = source();
        Connection other =
            DriverManager.getConnection(
                "jdbc:sqlite:" + data.resolve("feedbridge.db") + "?busy_timeout=0");
        Statement change = other.createStatement()) {
      assertThat(source.name()).isEqualTo(data.toString());
      assertThatThrownBy(() -> change.execute("UPDATE log SET start = 1"))
          .hasMessageContaining("locked");
    }
  }

  @Test
  void a_copy_that_differs_is_not_committed() {
    new AllKindsOfRows(data).fill();
    try (MoveSource source = source();
        MoveTarget target = target()) {
      MoveTarget loses =
          new Interrupted(target, Step.NONE) {
            @Override
            public void write(StoredTable table, Rows rows) throws IOException {
              boolean[] lost = {!table.name().equals("webhook_topic")};
              super.write(
                  table,
                  each ->
                      rows.writeTo(
                          row -> {
                            if (lost[0]) {
                              each.row(row);
                            }
                            lost[0] = true;
                          }));
            }
          };
      assertRefused(
          () -> move(source, loses),
          "the copy of the table webhook_topic differs",
          "3 rows",
          "2 rows");
    }
    move();
  }

  @Test
  void a_table_that_the_database_does_not_have_is_not_left_behind() {
    StoredRows.change(data, "CREATE TABLE extra (id INTEGER)");

    assertRefused(this::move, "no tables for [extra]");
  }

  @Test
  void a_text_with_a_character_that_postgresql_cannot_store_is_moved_without_it() {
    new AllKindsOfRows(data).fill();
    StoredRows.change(
        data, "UPDATE entry_seen SET entry_id = 'a' || char(0) || 'b' WHERE feed_id = 1");
    long[] replaced = {0};
    try (MoveSource source = source();
        MoveTarget target = target()) {
      new Move(source, target).run("token", NOW, one -> replaced[0] += one.replaced());
    }

    assertThat(replaced[0]).isEqualTo(1);
    assertThat(value("SELECT entry_id FROM entry_seen WHERE feed_id = 1", String.class))
        .isEqualTo("a\ufffdb");
  }

  /** The moments in which a process ends. */
  enum Step {
    NONE,
    TABLE_COPIED,
    COMMITTED,
    SOURCE_MARKED
  }

  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void a_move_that_is_killed_is_run_again_and_loses_nothing(Step step) {
    AllKindsOfRows rows = new AllKindsOfRows(data);
    rows.fill();
    Map<String, List<String>> before = rows.read();
    try (MoveSource source = source();
        MoveTarget target = target()) {
      assertThatThrownBy(() -> move(source, new Interrupted(target, step)))
          .isInstanceOf(Killed.class);
    }

    switch (step) {
      case TABLE_COPIED ->
          assertThat(rows.read(beside))
              .allSatisfy((name, of) -> assertThat(of.size()).isLessThan(2));
      case COMMITTED -> {
        assertRefused(this::open, "has an unfinished copy of", "run feedbridge migrate");
        // The store is whole still, and goes on until it is moved.
        SqliteDatabase.open(data, Runnable::run).close();
        StoredRows.change(data, "UPDATE feed SET url = 'later' WHERE id = 3");
        before.putAll(rows.read());
      }
      default -> assertRefused(this::open, "has an unfinished copy of", "run feedbridge migrate");
    }
    if (step == Step.SOURCE_MARKED) {
      assertRefused(() -> SqliteDatabase.open(data, Runnable::run), "was moved to");
      try (MoveTarget target = target()) {
        assertThat(Move.finish(SqliteMoveSource.markOf(data).orElseThrow(), target)).isTrue();
      }
    } else {
      move();
    }

    assertThat(rows.read(beside)).isEqualTo(before);
    open().close();
  }

  @Test
  void an_unfinished_copy_of_another_store_is_not_replaced() {
    try (MoveSource source = source();
        MoveTarget target = target()) {
      assertThatThrownBy(() -> move(source, new Interrupted(target, Step.COMMITTED)))
          .isInstanceOf(Killed.class);
    }
    data = folder.resolve("other");
    EmptyStore.in(data);

    assertRefused(this::move, "has an unfinished copy of", "use an empty database");
  }

  /** Ends at a step as a killed process does. */
  private static class Interrupted implements MoveTarget {

    private final MoveTarget target;
    private final Step step;

    Interrupted(MoveTarget target, Step step) {
      this.target = target;
      this.step = step;
    }

    private void endAt(Step here) {
      if (step == here) {
        throw new Killed();
      }
    }

    @Override
    public String name() {
      return target.name();
    }

    @Override
    public Optional<MoveMark> mark() {
      return target.mark();
    }

    @Override
    public void finish() {
      endAt(Step.SOURCE_MARKED);
      target.finish();
    }

    @Override
    public Collection<StoredTable> tables() {
      return target.tables();
    }

    @Override
    public boolean isEmpty() {
      return target.isEmpty();
    }

    @Override
    public void begin(List<StoredTable> tables) {
      target.begin(tables);
    }

    @Override
    public void write(StoredTable table, Rows rows) throws IOException {
      target.write(table, rows);
      if (Set.of("webhook").contains(table.name())) {
        endAt(Step.TABLE_COPIED);
      }
    }

    @Override
    public RowSum read(StoredTable table) throws IOException {
      return target.read(table);
    }

    @Override
    public void continueAfter(StoredTable table, long highest) {
      target.continueAfter(table, highest);
    }

    @Override
    public void commit(MoveMark mark, long epoch) {
      target.commit(mark, epoch);
      endAt(Step.COMMITTED);
    }

    @Override
    public void close() {
      target.close();
    }
  }
}
