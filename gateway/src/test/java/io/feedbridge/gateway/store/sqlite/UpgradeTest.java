package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.PollPace;
import io.feedbridge.gateway.store.Standing;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Trust;
import io.feedbridge.gateway.store.sql.SqlStore;
import io.feedbridge.gateway.store.sql.feeds.SqlWork;
import io.feedbridge.gateway.work.Assignment;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Stores of earlier versions are taken over with what is in them. */
@Timeout(60)
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
      Store store = new SqlStore(database);
      FollowedFeed feed = store.feeds().byTopic("topic").orElseThrow();
      assertThat(feed.pace()).isEqualTo(PollPace.UNKNOWN);
      assertThat(feed.fetched().standing()).isEqualTo(Standing.UNKNOWN);
      assertThat(feed.fetched().maintenance().entriesSince()).isEqualTo(3);
      assertThat(store.followings().byToken("token").orElseThrow().trust()).isEqualTo(Trust.NEW);
    }
  }
}
