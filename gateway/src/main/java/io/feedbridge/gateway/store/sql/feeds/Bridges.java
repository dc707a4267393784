package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.database.Database;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Feeds that are followed because a caller reads their bridged feeds. */
public final class Bridges {

  private final Database database;

  public Bridges(Database database) {
    this.database = database;
  }

  /**
   * Records that a caller reads the bridged feed of a topic. The topic is followed for that until
   * {@link #expire} finds no recent read.
   *
   * @param topic normalised
   */
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

  /**
   * Stops following feeds whose bridged feeds had no recent read, unless the feeds are wanted for
   * another reason.
   *
   * @param before feeds whose last read is older than this expire
   * @param limit feeds of one transaction
   * @return how many feeds had no recent read
   */
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

  /**
   * Forgets that a bridged feed is read. Its feed is no longer followed, unless it is wanted for
   * another reason.
   */
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

  /** The number of bridged feeds that are read. */
  public long count() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT COUNT(*) FROM feed WHERE bridged_at IS NOT NULL")
                .mapTo(Long.class)
                .one());
  }
}
