package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store that is damaged is reported and stays as it is, byte by byte. */
@Timeout(300)
final class DamagedFileTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final int PAGE = 4_096;
  private static final int FEEDS = 300;

  @TempDir Path temporary;

  private Path folder;
  private Path database;
  private Path wal;

  private static SqliteDatabase open(Path where) {
    return SqliteDatabase.open(where, Runnable::run);
  }

  /** A store as a killed process leaves it: some of it in the database, some in the log alone. */
  @BeforeEach
  void kill() throws IOException {
    Path live = temporary.resolve("live");
    folder = Files.createDirectory(temporary.resolve("killed"));
    database = folder.resolve("feedbridge.db");
    wal = folder.resolve("feedbridge.db-wal");
    try (SqliteDatabase store = open(live)) {
      fill(store, 0);
    }
    try (SqliteDatabase store = open(live)) {
      fill(store, FEEDS);
      Files.copy(live.resolve("feedbridge.db"), database);
      Files.copy(live.resolve("feedbridge.db-wal"), wal);
      Files.copy(live.resolve(KeyFile.NAME), folder.resolve(KeyFile.NAME));
    }
    assertThat(Files.size(wal)).isGreaterThan(PAGE);
  }

  /** Feeds with work, enough for their tables to be trees of several pages. */
  private static void fill(SqliteDatabase database, int from) {
    database
        .change(
            (handle, effects) -> {
              handle.execute(
                  """
                  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                  INSERT INTO feed (topic, url, kind, state, followed, fetched, advertised)
                  SELECT 'topic ' || (i + ?), '', 'UNKNOWN', 'NEW', 1, '{}', '{}' FROM n
                  """,
                  FEEDS,
                  from);
              handle.execute(
                  """
                  INSERT INTO work (feed_id, kind, via, received_at)
                  SELECT id, 'LIGHT', 'PING', 0 FROM feed WHERE id > ?
                  """,
                  from);
            })
        .join();
  }

  private Map<String, byte[]> bytes() throws IOException {
    Map<String, byte[]> bytes = new TreeMap<>();
    for (Path file : new Path[] {database, wal}) {
      // An empty log may appear beside a database that is read.
      if (Files.isRegularFile(file) && Files.size(file) > 0) {
        bytes.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
    }
    return bytes;
  }

  private void assertRefusedAndLeftAsItIs(String... says) throws IOException {
    Map<String, byte[]> before = bytes();
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> open(folder))
          .isInstanceOf(StoreException.class)
          .hasMessageContainingAll(says)
          .hasMessageContaining("left as it is");
      Map<String, byte[]> after = bytes();
      assertThat(after).containsOnlyKeys(before.keySet());
      before.forEach((name, content) -> assertThat(after.get(name)).as(name).isEqualTo(content));
    }
  }

  private void change(Path file, int from, int to) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    for (int i = from; i < to; i++) {
      bytes[i] ^= 0x5a;
    }
    Files.write(file, bytes);
  }

  /** Where in the file a table's or an index's tree begins. */
  private int root(String name) throws SQLException {
    return (page("SELECT rootpage FROM sqlite_schema WHERE name = '" + name + "'") - 1) * PAGE;
  }

  private int page(String query) throws SQLException {
    Path live = temporary.resolve("live/feedbridge.db");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + live);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      return rows.getInt(1);
    }
  }

  @Test
  void undamaged_it_opens_with_all_that_is_in_the_log() {
    try (SqliteDatabase store = open(folder)) {
      assertThat(new Store(store).figures().feeds()).isEqualTo(2 * FEEDS);
    }
  }

  @Nested
  class A_database {

    @Test
    void that_is_none_is_refused() throws IOException {
      Files.delete(wal);
      Files.write(
          database, "This is not a database. ".repeat(500).getBytes(StandardCharsets.UTF_8));
      assertRefusedAndLeftAsItIs(
          database.toString(), "damaged", "not a database", "restore a backup");
    }

    @Test
    void that_was_cut_off_is_refused() throws IOException {
      Files.delete(wal);
      Files.write(database, Arrays.copyOf(Files.readAllBytes(database), 10 * PAGE));
      assertRefusedAndLeftAsItIs(database.toString(), "damaged", "restore a backup");
    }

    @Test
    void whose_header_changed_is_refused() throws IOException {
      Files.delete(wal);
      change(database, 0, 16);
      assertRefusedAndLeftAsItIs(database.toString(), "damaged", "restore a backup");
    }

    @Test
    void whose_schema_changed_is_refused() throws IOException {
      Files.delete(wal);
      change(database, 100, 112);
      assertRefusedAndLeftAsItIs(database.toString(), "damaged", "restore a backup");
    }

    @Test
    void in_which_a_table_is_damaged_at_its_root_is_refused() throws Exception {
      Files.delete(wal);
      change(database, root("subscription"), root("subscription") + 8);
      assertRefusedAndLeftAsItIs(database.toString(), "damaged", "restore a backup");
    }

    @Test
    void in_which_an_index_is_damaged_at_its_root_is_refused() throws Exception {
      Files.delete(wal);
      change(database, root("feed_fetch_due"), root("feed_fetch_due") + 8);
      assertRefusedAndLeftAsItIs(database.toString(), "damaged", "restore a backup");
    }

    @Test
    void of_no_length_beside_a_log_with_commits_is_refused() throws IOException {
      Files.write(database, new byte[0]);
      assertRefusedAndLeftAsItIs(database.toString(), "missing or empty", "feedbridge.db-wal");
    }

    @Test
    void that_is_gone_while_the_log_is_there_is_refused() throws IOException {
      Files.delete(database);
      assertRefusedAndLeftAsItIs(database.toString(), "missing or empty", "feedbridge.db-wal");
    }

    @Test
    void of_no_length_alone_is_a_new_one() throws IOException {
      Files.delete(wal);
      Files.write(database, new byte[0]);
      open(folder).close();
    }
  }

  @Nested
  class A_log {

    @Test
    void whose_header_changed_is_refused() throws IOException {
      change(wal, 16, 20);
      assertRefusedAndLeftAsItIs(wal.toString(), "damaged", "restore a backup");
    }

    @Test
    void that_is_none_is_refused() throws IOException {
      Files.write(wal, "This is not a log. ".repeat(500).getBytes(StandardCharsets.UTF_8));
      assertRefusedAndLeftAsItIs(wal.toString(), "damaged", "restore a backup");
    }

    @Test
    void that_is_a_folder_is_refused() throws IOException {
      Files.delete(wal);
      Files.createDirectory(wal);
      assertRefusedAndLeftAsItIs(wal.toString(), "is not a file");
    }

    @Test
    void of_another_store_beside_a_restored_one_is_refused() throws IOException {
      Path backup = temporary.resolve("backup");
      SqliteBackup.write(temporary.resolve("live"), backup, false);
      Files.delete(database);
      Files.copy(backup, database);
      assertRefusedAndLeftAsItIs(wal.toString(), "does not belong to the store");
    }

    @Test
    void that_was_just_begun_when_the_process_died_holds_nothing() throws IOException {
      Files.write(wal, Arrays.copyOf(Files.readAllBytes(wal), 20));
      try (SqliteDatabase store = open(folder)) {
        assertThat(new Store(store).figures().feeds()).isEqualTo(FEEDS);
      }
    }
  }

  @Nested
  class A_newer_store {

    @Test
    void is_refused() throws Exception {
      Files.delete(wal);
      try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
          Statement statement = connection.createStatement()) {
        statement.execute(
            """
            INSERT INTO flyway_schema_history
            SELECT 9999, '9999', 'of the future', type, 'V9999__of_the_future.sql', checksum,
              installed_by, installed_on, execution_time, success
            FROM flyway_schema_history WHERE installed_rank = 1
            """);
      }
      Files.deleteIfExists(wal);
      assertRefusedAndLeftAsItIs(
          database.toString(), "written by a newer Feedbridge", "9999", "restore a backup");
    }
  }

  @Nested
  class Damage_that_shows_later {

    /** In the middle of a large table, where the look at the start does not go. */
    private SqliteDatabase damagedInside() throws Exception {
      Files.delete(wal);
      int from = root("work");
      // The last leaf: rows are appended there, and read from there first.
      int leaf = lastLeaf(from);
      change(database, leaf, leaf + 200);
      return open(folder);
    }

    private int lastLeaf(int root) throws IOException {
      byte[] bytes = Files.readAllBytes(database);
      assertThat(bytes[root]).as("an inner page").isEqualTo((byte) 5);
      int page =
          (bytes[root + 8] & 0xff) << 24
              | (bytes[root + 9] & 0xff) << 16
              | (bytes[root + 10] & 0xff) << 8
              | (bytes[root + 11] & 0xff);
      return (page - 1) * PAGE;
    }

    @Test
    void is_in_the_health_when_it_is_read_and_from_then_on_nothing_is_written() throws Exception {
      try (SqliteDatabase store = damagedInside()) {
        Store adapter = new Store(store);
        assertThat(adapter.health()).isEqualTo(StoreHealth.WRITABLE);

        assertThatThrownBy(
                () ->
                    store.read(
                        handle ->
                            handle
                                .createQuery("SELECT COUNT(received_at) FROM work")
                                .mapTo(Long.class)
                                .one()))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("cannot be read");

        assertDamaged(adapter);
      }
    }

    @Test
    void is_in_the_health_when_it_is_written_to() throws Exception {
      try (SqliteDatabase store = damagedInside()) {
        Store adapter = new Store(store);
        SqlWork work = new SqlWork(store);

        assertThatThrownBy(() -> work.add(new WorkItem.Light(1, Via.PING, NOW)).join())
            .isInstanceOf(CompletionException.class)
            .hasCauseInstanceOf(StoreException.class);

        assertDamaged(adapter);
      }
    }

    private void assertDamaged(Store store) {
      assertThat(store.health())
          .isInstanceOfSatisfying(
              StoreHealth.Refusing.class,
              refusing -> {
                assertThat(refusing.reason())
                    .contains(database.toString(), "damaged", "restore a backup");
                assertThat(refusing.lasting()).isTrue();
              });
      assertThatThrownBy(() -> store.feeds().follow("https://one.example/", NOW).join())
          .hasMessageContaining("restore a backup");
    }
  }
}
