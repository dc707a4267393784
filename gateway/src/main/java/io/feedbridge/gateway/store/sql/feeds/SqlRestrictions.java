package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Restrictions;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Barred feeds as SQL: feeds that are wanted and, by the operator's policies, not followed. */
public final class SqlRestrictions implements Restrictions {

  private final Database database;

  public SqlRestrictions(Database database) {
    this.database = database;
  }

  @Override
  public String applied() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT policies FROM restriction")
                .mapTo(String.class)
                .findOne()
                .orElse(""));
  }

  @Override
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

  @Override
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

  @Override
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

  @Override
  public CompletableFuture<Void> unbar(long feedId, Instant now) {
    return database.change((handle, effects) -> FollowedFeeds.resume(handle, effects, feedId, now));
  }
}
