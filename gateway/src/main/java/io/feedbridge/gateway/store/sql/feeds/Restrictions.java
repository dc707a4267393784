package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Feeds that are wanted and that the operator does not have followed. */
public final class Restrictions {

  private final Database database;

  public Restrictions(Database database) {
    this.database = database;
  }

  /** The policies last applied to the stored feeds and subscriptions; empty if none ever were. */
  public String applied() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT policies FROM restriction")
                .mapTo(String.class)
                .findOne()
                .orElse(""));
  }

  /** Records that the stored feeds and subscriptions obey these policies. */
  public CompletableFuture<Void> apply(String policies) {
    return database.change(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    INSERT INTO restriction (id, policies) VALUES (1, :policies)
                    ON CONFLICT (id) DO UPDATE SET policies = excluded.policies
                    """)
                .bind("policies", policies)
                .execute());
  }

  /**
   * Stops following a feed even if it is wanted. Its stored entries stay, and so do the wishes of
   * operators, readers of bridged feeds and webhooks.
   */
  public CompletableFuture<Void> bar(long feedId) {
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate(
                  """
                  UPDATE feed SET followed = 0, tried = 1, next_fetch_at = NULL,
                    revision = revision + 1
                  WHERE id = :id AND followed = 1
                  """)
              .bind("id", feedId)
              .execute();
          effects.add(Effect.FOLLOWING);
          // Subscribers that wait for the first fetch are told that there will be none.
          effects.add(Effect.VERIFICATION);
        });
  }

  /** Feeds that operators, readers or webhooks want and that are not followed, in id order. */
  public List<FollowedFeed> barred(long afterId, int limit) {
    return database.read(
        handle ->
            DamagedRows.list(
                handle
                    .createQuery(
                        """
                    SELECT * FROM feed WHERE followed = 0 AND id > :after
                      AND (kept = 1 OR bridged_at IS NOT NULL
                        OR EXISTS (SELECT 1 FROM webhook_topic WHERE feed_id = feed.id))
                    ORDER BY id LIMIT :limit
                    """)
                    .bind("after", afterId)
                    .bind("limit", limit),
                "feed",
                Rows::feed));
  }

  /** Follows a barred feed again. */
  public CompletableFuture<Void> unbar(long feedId, Instant now) {
    return database.change((handle, effects) -> FollowedFeeds.resume(handle, effects, feedId, now));
  }
}
