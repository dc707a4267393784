package io.feedbridge.gateway.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

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
      SqliteWork work = new SqliteWork(database);
      assertThat(work.take(10)).extracting(Assignment::feedId).containsExactly(2L, 1L);
    }
  }
}
