package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.Bridges;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.sql.database.Database;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Readers of bridged feeds as SQL. */
public final class SqlBridges implements Bridges {

  private final Database database;

  public SqlBridges(Database database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<FollowedFeed> read(String topic, Instant now) {
    return database.write(
        (handle, effects) -> {
          FollowedFeed feed = FollowedFeeds.follow(handle, effects, topic, now);
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
          ids.forEach(id -> FollowedFeeds.unfollowIfUnused(handle, effects, id));
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
          FollowedFeeds.unfollowIfUnused(handle, effects, feedId);
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
