package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Denials;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/** Who is still to be told that a feed is gone, in SQLite. */
final class SqliteDenials implements Denials {

  private final SqliteDatabase database;

  SqliteDenials(SqliteDatabase database) {
    this.database = database;
  }

  /** In the transaction that records how a feed does now. */
  static void begin(Handle handle, FollowedFeed after, FeedState before) {
    if (after.state() == before) {
      return;
    }
    handle
        .createUpdate("DELETE FROM denial WHERE feed_id = :feed")
        .bind("feed", after.id())
        .execute();
    if (after.state() == FeedState.GONE) {
      handle
          .createUpdate("INSERT INTO denial (feed_id, told, reason) VALUES (:feed, 0, :reason)")
          .bind("feed", after.id())
          .bind("reason", String.valueOf(after.fetched().message()))
          .execute();
    }
  }

  @Override
  public List<Open> open(int limit) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM denial ORDER BY feed_id LIMIT :limit")
                .bind("limit", limit)
                .map(
                    (row, context) ->
                        new Open(
                            row.getLong("feed_id"), row.getLong("told"), row.getString("reason")))
                .list());
  }

  @Override
  public CompletableFuture<Void> told(long feedId, long upTo) {
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate("UPDATE denial SET told = :told WHERE feed_id = :feed")
              .bind("told", upTo)
              .bind("feed", feedId)
              .execute();
        });
  }

  @Override
  public CompletableFuture<Void> end(long feedId) {
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate("DELETE FROM denial WHERE feed_id = :feed")
              .bind("feed", feedId)
              .execute();
        });
  }
}
