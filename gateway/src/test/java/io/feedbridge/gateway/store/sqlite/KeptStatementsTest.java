package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.result.ResultIterator;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.StatementCustomizer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConnection;

@Timeout(300)
final class KeptStatementsTest {

  private static final String ALL = "SELECT id FROM thing ORDER BY id";
  private static final String INSERT = "INSERT INTO thing (id, name) VALUES (:id, :name)";

  @TempDir Path folder;

  private Path file;
  private Jdbi jdbi;
  private Handle handle;

  @BeforeEach
  void makeTable() {
    file = folder.resolve("kept.db");
    jdbi = Connections.jdbi(Connections.writing(file));
    handle = jdbi.open();
    handle.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name ANY NOT NULL)");
    insert(1, "one");
    insert(2, "two");
  }

  @AfterEach
  void close() {
    handle.close();
  }

  private void insert(int id, Object name) {
    handle.createUpdate(INSERT).bind("id", id).bind("name", name).execute();
  }

  /** What a query of ours runs in. */
  private static PreparedStatement statement(Handle handle, String sql) {
    return handle.createQuery(sql).map((row, context) -> context.getStatement()).first();
  }

  private static List<Long> ids(Handle handle) {
    return handle.createQuery(ALL).mapTo(Long.class).list();
  }

  /** Neither is possible as long as a statement is under way. */
  private void assertNothingUnderWay() {
    handle.execute("VACUUM");
    try (Handle other = Connections.jdbi(Connections.writing(file)).open()) {
      other.execute("INSERT INTO thing (name) VALUES ('of another')");
      assertThat(
              other
                  .createQuery("PRAGMA wal_checkpoint(TRUNCATE)")
                  .map((row, context) -> row.getInt("busy"))
                  .one())
          .isZero();
    }
  }

  @Nested
  class A_statement {

    @Test
    void is_compiled_once() {
      assertThat(statement(handle, ALL)).isSameAs(statement(handle, ALL));
    }

    @Test
    void is_given_to_one_user_at_a_time() {
      try (ResultIterator<Long> outer = handle.createQuery(ALL).mapTo(Long.class).iterator()) {
        assertThat(outer.next()).isEqualTo(1);
        assertThat(ids(handle)).containsExactly(1L, 2L);
        assertThat(outer.next()).isEqualTo(2);
      }

      assertThat(ids(handle)).containsExactly(1L, 2L);
      assertNothingUnderWay();
    }

    @Test
    void that_is_closed_twice_is_not_closed_for_its_next_user() {
      ResultIterator<Long> first = handle.createQuery(ALL).mapTo(Long.class).iterator();
      first.close();
      try (ResultIterator<Long> second = handle.createQuery(ALL).mapTo(Long.class).iterator()) {
        first.close();

        assertThat(second.next()).isEqualTo(1);
        assertThat(second.next()).isEqualTo(2);
      }
    }

    @Test
    void that_failed_is_compiled_anew() {
      Remembering failed = new Remembering();
      Remembering next = new Remembering();
      assertThatThrownBy(
              () ->
                  handle
                      .createUpdate(INSERT)
                      .addCustomizer(failed)
                      .bind("id", 1)
                      .bind("name", "again")
                      .execute())
          .isInstanceOf(JdbiException.class);

      handle.createUpdate(INSERT).addCustomizer(next).bind("id", 3).bind("name", "three").execute();

      assertThat(next.used()).isNotSameAs(failed.used());
      assertThat(ids(handle)).containsExactly(1L, 2L, 3L);
      assertNothingUnderWay();
    }

    @Test
    void sees_a_schema_that_was_changed_since() {
      String everything = "SELECT * FROM thing WHERE id = 1";
      assertThat(handle.createQuery(everything).mapToMap().one()).doesNotContainKey("colour");

      try (Handle other = Connections.jdbi(Connections.writing(file)).open()) {
        other.execute("ALTER TABLE thing ADD COLUMN colour TEXT DEFAULT 'red'");
      }

      assertThat(handle.createQuery(everything).mapToMap().one()).containsEntry("colour", "red");
    }

    @Test
    void counts_the_rows_of_each_use() {
      String rename = "UPDATE thing SET name = 'new' WHERE id <= :most";

      assertThat(handle.createUpdate(rename).bind("most", 2).execute()).isEqualTo(2);
      assertThat(handle.createUpdate(rename).bind("most", 0).execute()).isZero();
      assertThat(handle.createUpdate(rename).bind("most", 1).execute()).isEqualTo(1);
    }

    @Test
    void takes_a_batch_again_and_again() {
      for (int i = 10; i < 30; i += 10) {
        var batch = handle.prepareBatch(INSERT);
        for (int j = 0; j < 3; j++) {
          batch.bind("id", i + j).bind("name", "batch").add();
        }
        assertThat(batch.execute()).containsExactly(1, 1, 1);
      }

      insert(40, "alone");

      assertThat(ids(handle)).containsExactly(1L, 2L, 10L, 11L, 12L, 20L, 21L, 22L, 40L);
    }
  }

  /** Notes in which statement something is run. */
  private static final class Remembering implements StatementCustomizer {
    private final AtomicReference<PreparedStatement> used = new AtomicReference<>();

    @Override
    public void beforeExecution(PreparedStatement statement, StatementContext context) {
      used.set(statement);
    }

    PreparedStatement used() {
      return Objects.requireNonNull(used.get(), "it was run");
    }
  }

  @Nested
  class Rows_that_nobody_reads {

    @Test
    void end_with_their_query() {
      try (ResultIterator<Long> some = handle.createQuery(ALL).mapTo(Long.class).iterator()) {
        some.next();
      }

      assertNothingUnderWay();
      assertThat(ids(handle)).hasSize(3);
    }

    @Test
    void end_with_the_handle_of_a_pool() {
      try (var pool = Connections.readers(file)) {
        Jdbi readers = Connections.jdbi(pool);
        PreparedStatement kept = readers.withHandle(reader -> statement(reader, ALL));
        try (Handle reader = readers.open()) {
          assertThat(reader.createQuery(ALL).mapTo(Long.class).iterator().next()).isEqualTo(1);
        }

        assertNothingUnderWay();
        assertThat(readers.<List<Long>, RuntimeException>withHandle(KeptStatementsTest::ids))
            .hasSize(3);
        assertThat(readers.<PreparedStatement, RuntimeException>withHandle(r -> statement(r, ALL)))
            .as("that which was left open is not used again")
            .isNotSameAs(kept);
      }
    }

    @Test
    void end_where_they_were_not_asked_for() {
      String rename = "UPDATE thing SET name = 'new' RETURNING id";
      handle.createUpdate(rename).execute();
      handle.createUpdate(rename).execute();

      assertNothingUnderWay();
    }
  }

  @Nested
  class What_is_kept {

    @Test
    void survives_the_handle_of_a_pool() {
      try (var pool = Connections.readers(file)) {
        Jdbi readers = Connections.jdbi(pool);
        PreparedStatement first = readers.withHandle(reader -> statement(reader, ALL));
        PreparedStatement second = readers.withHandle(reader -> statement(reader, ALL));

        assertThat(second).isSameAs(first);
      }
    }

    @Test
    void ends_with_its_connection() {
      PreparedStatement before = statement(handle, ALL);
      handle.close();
      handle = jdbi.open();

      assertThat(statement(handle, ALL)).isNotSameAs(before);
      assertThat(ids(handle)).containsExactly(1L, 2L);
    }

    @Test
    void is_bounded() throws Exception {
      PreparedStatement used = statement(handle, ALL);
      PreparedStatement unused = statement(handle, "SELECT -1");
      for (int i = 0; i < KeptStatements.MAX_KEPT - 1; i++) {
        statement(handle, "SELECT " + i);
        assertThat(statement(handle, ALL)).isSameAs(used);
      }

      assertThat(unused.isClosed()).isTrue();
      assertThat(used.isClosed()).isFalse();
      assertThat(statement(handle, "SELECT -1")).isNotSameAs(unused);
    }

    @Test
    void holds_no_large_value() throws Exception {
      for (Object large :
          List.of(
              new byte[KeptStatement.MAX_KEPT_VALUES_BYTES + 1],
              "x".repeat(KeptStatement.MAX_KEPT_VALUES_BYTES + 1))) {
        Remembering remembering = new Remembering();
        handle
            .createUpdate("UPDATE thing SET name = :name")
            .addCustomizer(remembering)
            .bind("name", large)
            .execute();

        assertThat(remembering.used().isClosed()).isTrue();
      }
    }

    @Test
    void holds_no_values_that_are_large_together() throws Exception {
      Remembering remembering = new Remembering();
      String half = "x".repeat(KeptStatement.MAX_KEPT_VALUES_BYTES / 2 + 1);
      handle
          .createUpdate("UPDATE thing SET name = :name WHERE name = :old")
          .addCustomizer(remembering)
          .bind("name", half)
          .bind("old", half)
          .execute();

      assertThat(remembering.used().isClosed()).isTrue();
    }

    @Test
    void holds_no_list_of_any_length() throws Exception {
      Remembering remembering = new Remembering();
      handle
          .createUpdate("DELETE FROM thing WHERE id IN (<ids>)")
          .addCustomizer(remembering)
          .bindList("ids", Collections.nCopies(KeptStatement.MAX_KEPT_VALUES + 1, 1))
          .execute();

      assertThat(remembering.used().isClosed()).isTrue();
    }

    @Test
    void gives_its_next_user_no_value_of_the_one_before() throws Exception {
      try (KeptStatement statement =
          new KeptStatement(
              handle.getConnection().unwrap(SQLiteConnection.class), "SELECT :a, :b")) {
        statement.setInt(1, 1);
        statement.setInt(2, 2);
        statement.execute();
        assertThat(statement.end()).isTrue();

        statement.setInt(1, 3);
        var row = statement.executeQuery();
        assertThat(row.next()).isTrue();
        assertThat(row.getObject(1)).isEqualTo(3);
        assertThat(row.getObject(2)).isNull();
      }
    }

    @Test
    void is_nothing_that_works_when_it_is_compiled() {
      for (int millis : List.of(7, 9, 7)) {
        handle.execute("PRAGMA busy_timeout = " + millis);

        assertThat(handle.createQuery("PRAGMA busy_timeout").mapTo(Integer.class).one())
            .isEqualTo(millis);
      }
    }
  }
}
