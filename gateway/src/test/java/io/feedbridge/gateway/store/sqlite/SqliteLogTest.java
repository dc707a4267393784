package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.LogContract;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SqliteLogTest extends LogContract {

  @TempDir Path folder;

  @Override
  protected Backend open() {
    return new SqliteBackend(folder);
  }

  @Test
  void L13_what_a_laggard_lost_is_on_record() throws SQLException {
    FollowedFeed feed = feed("feed");
    Subscription one = subscribe(feed, "https://one.example/");
    append(feed, 1);
    walk(feed, laggard(one, 0).build());
    long head = append(feed, 1);

    done(log().trim(NOW.plusMillis(1), 10, 1 << 20, NOW.plusMillis(1)));

    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("feedbridge.db"));
        Statement statement = connection.createStatement();
        ResultSet gap = statement.executeQuery("SELECT * FROM gap")) {
      assertThat(gap.next()).isTrue();
      assertThat(gap.getLong("subscription_id")).isEqualTo(one.id());
      assertThat(gap.getLong("from_seq")).isZero();
      assertThat(gap.getLong("to_seq")).isEqualTo(head);
      assertThat(gap.next()).isFalse();
    }
  }
}
