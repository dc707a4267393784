package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.schedule.SystemTimer;
import io.feedbridge.gateway.search.Indexer;
import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.search.TextIndex;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.gateway.store.OldStore;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.PollPace;
import io.feedbridge.gateway.store.feeds.Standing;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.store.sqlite.search.FtsIndex;
import io.feedbridge.gateway.store.sqlite.search.OldIndex;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.gateway.work.Assignment;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Stores of earlier versions are taken over with what is in them. */
@Timeout(300)
final class UpgradeTest {

  @TempDir Path folder;

  @Test
  void work_that_waited_before_there_was_a_backlog_is_handed_out_in_its_order()
      throws SQLException {
    DataSource source = Connections.writing(DataFolder.database(folder));
    Flyway.configure()
        .dataSource(source)
        .locations("classpath:db/sqlite")
        .target("1")
        .load()
        .migrate();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      for (int feed = 1; feed <= 3; feed++) {
        statement.execute(
            """
            INSERT INTO feed (topic, url, kind, state, followed, fetched, advertised)
            VALUES ('topic %d', '', 'UNKNOWN', 'NEW', 0, '{}', '{}')
            """
                .formatted(feed));
      }
      for (int feed : new int[] {2, 1, 2, 1, 1}) {
        statement.execute(
            "INSERT INTO work (feed_id, kind, via, received_at) VALUES (%d, 'LIGHT', 'PING', 0)"
                .formatted(feed));
      }
    }

    try (SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run)) {
      SqlWork work = new SqlWork(database);
      assertThat(work.take(10)).extracting(Assignment::feedId).containsExactly(2L, 1L);
    }
  }

  @Test
  void a_migration_with_a_lower_number_that_came_later_is_applied() throws SQLException {
    SqliteDatabase.open(folder, Runnable::run).close();
    DataSource source = Connections.writing(DataFolder.database(folder));
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE moved");
      statement.execute("DELETE FROM flyway_schema_history WHERE version = '40'");
    }

    try (SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run)) {
      assertThat(
              database.<List<Long>>read(
                  handle -> handle.createQuery("SELECT id FROM moved").mapTo(Long.class).list()))
          .isEmpty();
    }
  }

  @Test
  void feeds_and_followings_from_before_there_was_a_pace_or_trust_are_read_as_new_ones()
      throws SQLException {
    DataSource source = Connections.writing(DataFolder.database(folder));
    Flyway.configure()
        .dataSource(source)
        .locations("classpath:db/sqlite")
        .target("7")
        .load()
        .migrate();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO feed (topic, url, kind, state, followed, first_fetch_at, fetched, advertised)
          VALUES ('topic', 'topic', 'FEED', 'ACTIVE', 1, 1,
            '{"period":"PT15M","failures":0,"generatedIds":false,"maintenance":{"entriesSince":3}}',
            '{"hubs":[],"clouds":[]}')
          """);
      statement.execute(
          """
          INSERT INTO following
            (feed_id, kind, endpoint, topic, token, state, next_action_at, attempts)
          VALUES (1, 'WEBSUB', 'hub', 'topic', 'token', 'ACTIVE', 0, 0)
          """);
    }

    try (SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run)) {
      Store store = new Store(database);
      FollowedFeed feed = store.feeds().byTopic("topic").orElseThrow();
      assertThat(feed.pace()).isEqualTo(PollPace.UNKNOWN);
      assertThat(feed.fetched().standing()).isEqualTo(Standing.UNKNOWN);
      assertThat(feed.fetched().maintenance().entriesSince()).isEqualTo(3);
      assertThat(store.upstreamSubscriptions().byToken("token").orElseThrow().trust())
          .isEqualTo(Trust.NEW);
    }
  }

  @Test
  void laggards_from_before_they_had_a_state_are_where_they_were() throws SQLException {
    DataSource source = Connections.writing(DataFolder.database(folder));
    Flyway.configure()
        .dataSource(source)
        .locations("classpath:db/sqlite")
        .target("34")
        .load()
        .migrate();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO feed (id, topic, url, kind, state, followed, head, rounded, fetched, advertised)
          VALUES (1, 't', 't', 'FEED', 'ACTIVE', 1, 3, 3, '{}', '{}')
          """);
      for (int seq = 1; seq <= 3; seq++) {
        statement.execute(
            "INSERT INTO event (seq, feed_id, at, via, entries, payload)"
                + " VALUES (%d, 1, 0, 'POLL', 1, x'7b7d')".formatted(seq));
      }
      for (int id = 1; id <= OLD_LAGGARDS.length; id++) {
        statement.execute(
            """
            INSERT INTO subscription (id, feed_id, protocol, callback, terms, raw, start,
              lease_ends_at, created_at)
            VALUES (%d, 1, 'WEBSUB', 'https://h/%d', '{}', 0, 0, 9, 0)
            """
                .formatted(id, id));
        statement.execute(
            """
            INSERT INTO laggard (subscription_id, feed_id, host, attempts, error, cursor, sent_to,
              next_attempt_at, in_flight, behind_since, replay_to, replay_at)
            VALUES (%d, 1, 'h', 0, 'why', %s)
            """
                .formatted(id, OLD_LAGGARDS[id - 1][1]));
      }
    }

    try (SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run)) {
      assertThat(states(database))
          .containsExactly(Stream.of(OLD_LAGGARDS).map(one -> one[0]).toArray(String[]::new));
      new Store(database).laggards().landAll().join();
      assertThat(states(database))
          .containsExactly(
              "PARKED 3 null",
              "BEHIND 1 7",
              "FIXED 2 7",
              "FIXED 2 7",
              "PARKED 3 null",
              "BEHIND 2 0",
              "FIXED 3 8");
    }
  }

  /**
   * The state after the upgrade, document and time; and cursor, document, time, request under way,
   * behind since, and replay as they were.
   */
  private static final String[][] OLD_LAGGARDS = {
    {"PARKED 3 null", "3, NULL, NULL, 0, NULL, NULL, NULL"},
    {"BEHIND 1 7", "1, NULL, 7, 0, 5, NULL, NULL"},
    {"FIXED 2 7", "1, 2, 7, 0, 5, NULL, NULL"},
    {"IN_FLIGHT 2 7", "1, 2, 7, 1, 5, NULL, NULL"},
    // It jumped while a request was under way; a round woke the second of these.
    {"JUMPED 3 null", "3, NULL, NULL, 1, NULL, NULL, NULL"},
    {"JUMPED 2 null", "2, NULL, 7, 1, 5, NULL, NULL"},
    // A replay that waited for the next round.
    {"FIXED 3 8", "2, 3, NULL, 0, 8, 3, 8"},
  };

  private static List<String> states(SqliteDatabase database) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT state || ' ' || document_end || ' ' || COALESCE(next_attempt_at, 'null')"
                        + " FROM laggard ORDER BY subscription_id")
                .mapTo(String.class)
                .list());
  }

  private void makeOld() {
    DataSource source = Connections.writing(DataFolder.database(folder));
    Flyway.configure()
        .dataSource(source)
        .locations("classpath:db/sqlite")
        .target("62")
        .load()
        .migrate();
    Jdbi.create(source).useHandle(OldStore::fill);
  }

  @Test
  void trackers_long_ids_and_left_feeds_of_an_earlier_version_are_right() {
    makeOld();

    try (SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run)) {
      OldStore.isRight(database);
    }
  }

  @Test
  void a_search_index_of_an_earlier_version_is_made_again_and_finds_what_it_found()
      throws SQLException {
    makeOld();
    OldIndex.make(folder);

    ExecutorService threads = Executors.newCachedThreadPool();
    try (SystemTimer timer = new SystemTimer(Clock.systemUTC());
        SqliteDatabase database = SqliteDatabase.open(folder, Runnable::run);
        TextIndex index = FtsIndex.open(folder)) {
      Store store = new Store(database);
      Search search = new Search(index, store.entries(), threads);
      try (Indexer indexer =
          new Indexer(index, store, "store", topic -> topic.contains("/track?"), threads, timer)) {
        indexer.start();
        World.until(() -> found(search, "mars").contains("https://a.example/"));
        assertThat(found(search, "mars"))
            .containsExactlyInAnyOrder("https://a.example/", "https://left.example/");
      }
    } finally {
      threads.shutdown();
    }
  }

  /** The feeds of the entries that match. */
  private static List<String> found(Search search, String words) {
    try {
      return search.find("test", QueryParser.parse(words), 1, 10).join().entries().stream()
          .map(one -> one.feed().topic())
          .toList();
    } catch (BadQueryException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
