package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Bridges;
import io.feedbridge.gateway.store.FollowedFeed;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Readers of bridged feeds in SQLite. */
final class SqliteBridges implements Bridges {

  private final SqliteDatabase database;

  SqliteBridges(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<FollowedFeed> read(String topic, Instant now) {
    return database.write(
        (handle, effects) -> {
          FollowedFeed feed = SqliteFeeds.follow(handle, effects, topic, now);
          handle
              .createUpdate("UPDATE feed SET bridged_at = :now WHERE id = :id")
              .bind("now", now.toEpochMilli())
              .bind("id", feed.id())
              .execute();
          return feed;
        });
  }

  @Override
  public CompletableFuture<Integer> expire(Instant before, int limit) {
    return database.write(
        (handle, effects) -> {
          List<Long> ids =
              handle
                  .createQuery(
                      """
                      UPDATE feed SET bridged_at = NULL WHERE id IN (
                        SELECT id FROM feed WHERE bridged_at < :before
                        ORDER BY bridged_at LIMIT :limit)
                      RETURNING id
                      """)
                  .bind("before", before.toEpochMilli())
                  .bind("limit", limit)
                  .mapTo(Long.class)
                  .list();
          ids.forEach(id -> SqliteFeeds.unfollowIfUnused(handle, effects, id));
          return ids.size();
        });
  }

  @Override
  public CompletableFuture<Void> forget(long feedId, Instant now) {
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate("UPDATE feed SET bridged_at = NULL WHERE id = :id")
              .bind("id", feedId)
              .execute();
          SqliteFeeds.unfollowIfUnused(handle, effects, feedId);
        });
  }

  @Override
  public long count() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT COUNT(*) FROM feed WHERE bridged_at IS NOT NULL")
                .mapTo(Long.class)
                .one());
  }
}
