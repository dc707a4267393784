package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.PrivateFeedsContract;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.database.Database;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SqlitePrivateFeedsTest extends PrivateFeedsContract {

  @TempDir Path folder;

  @Override
  protected Backend open() {
    return new SqliteBackend(folder);
  }

  /** A row that no commit takes is added with each row of a private feed. */
  private static final String FAILING =
      """
      CREATE TRIGGER failing AFTER INSERT ON private_feed BEGIN
        INSERT INTO dangling VALUES (4711);
      END
      """;

  @Test
  void a_feed_is_public_after_a_commit_that_failed() {
    Database database = store().database();
    String topic = "https://one.example/feed";
    FollowedFeed feed = done(feeds().follow(topic, NOW));
    run(
        database,
        "CREATE TABLE dangling (feed INTEGER REFERENCES feed (id) DEFERRABLE INITIALLY DEFERRED)");
    run(database, FAILING);
    FeedCredentials credentials = new FeedCredentials(null, Map.of(), "Reader/1", null);

    assertThatThrownBy(() -> store().privateFeeds().set(topic, credentials, NOW).join())
        .hasCauseInstanceOf(StoreException.class);

    assertThat(store().privateFeeds().contains(topic)).isFalse();
    assertThat(store().privateFeeds().count()).isZero();
    assertThat(store().privateFeeds().contains(feed.id())).isFalse();
    // The store takes writes again when it has tried one.
    await().ignoreExceptions().untilAsserted(() -> run(database, "DROP TRIGGER IF EXISTS failing"));
    done(store().privateFeeds().set(topic, credentials, NOW));
    assertThat(store().privateFeeds().of(feed.id())).contains(credentials);
  }

  private static void run(Database database, String sql) {
    done(database.change((handle, effects) -> handle.execute(sql)));
  }
}
