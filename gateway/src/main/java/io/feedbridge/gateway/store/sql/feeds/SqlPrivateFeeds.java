package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.FeedCredentials;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.PrivateFeeds;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Sealing;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Private feeds as SQL. The process that owns the store knows all of them from its start. */
public final class SqlPrivateFeeds implements PrivateFeeds {

  private final Database database;
  private final Set<String> topics = ConcurrentHashMap.newKeySet();
  private final Set<Long> ids = ConcurrentHashMap.newKeySet();

  /** Reads the store. Blocks. */
  public SqlPrivateFeeds(Database database) {
    this.database = database;
    Map<Long, String> all =
        database.read(
            handle ->
                handle
                    .createQuery(
                        "SELECT id, topic FROM feed WHERE id IN (SELECT feed_id FROM private_feed)")
                    .collectRows(
                        Collectors.toMap(
                            row -> row.getColumn("id", Long.class),
                            row -> row.getColumn("topic", String.class))));
    ids.addAll(all.keySet());
    topics.addAll(all.values());
  }

  @Override
  public boolean contains(String topic) {
    return topics.contains(topic);
  }

  @Override
  public boolean contains(long feedId) {
    return ids.contains(feedId);
  }

  @Override
  public int count() {
    return topics.size();
  }

  @Override
  public void hide(String topic) {
    topics.add(topic);
  }

  @Override
  public Optional<FeedCredentials> of(long feedId) {
    return contains(feedId)
        ? database.read(handle -> find(handle, feedId))
        // The usual case costs no read.
        : Optional.empty();
  }

  private static Optional<FeedCredentials> find(Handle handle, long feedId) {
    return handle
        .createQuery(
            """
            SELECT f.topic, p.credentials FROM private_feed p JOIN feed f ON f.id = p.feed_id
            WHERE p.feed_id = :feed AND p.credentials IS NOT NULL
            """)
        .bind("feed", feedId)
        .map(
            (row, context) ->
                Json.read(
                    Sealing.of(context)
                        .open(row.getString("credentials"), Sealing.FEED, row.getString("topic")),
                    FeedCredentials.class))
        .findOne();
  }

  @Override
  public CompletableFuture<FollowedFeed> set(
      String topic, FeedCredentials credentials, Instant now) {
    return database
        .write(
            (handle, effects) -> {
              FollowedFeed feed = FollowedFeeds.follow(handle, effects, topic, now);
              // The document of another caller is not that of this one.
              handle
                  .createUpdate(
                      """
                      UPDATE feed SET kept = 1, bridged_at = NULL, next_fetch_at = :now,
                        etag = NULL, last_modified = NULL
                      WHERE id = :id
                      """)
                  .bind("now", now.toEpochMilli())
                  .bind("id", feed.id())
                  .execute();
              handle
                  .createUpdate(
                      """
                      INSERT INTO private_feed (feed_id, credentials) VALUES (:id, :credentials)
                      ON CONFLICT (feed_id) DO UPDATE SET credentials = excluded.credentials
                      """)
                  .bind("id", feed.id())
                  .bind(
                      "credentials",
                      Sealing.of(handle).seal(Json.text(credentials), Sealing.FEED, topic).text())
                  .execute();
              effects.add(Effect.FETCH_DUE);
              return feed;
            })
        .thenApply(
            feed -> {
              topics.add(topic);
              ids.add(feed.id());
              return feed;
            });
  }

  @Override
  public CompletableFuture<Void> clear(long feedId) {
    return database
        .write(
            (handle, effects) -> {
              handle
                  .createUpdate("DELETE FROM private_feed WHERE feed_id = :id")
                  .bind("id", feedId)
                  .execute();
              return handle
                  .createQuery("SELECT topic FROM feed WHERE id = :id")
                  .bind("id", feedId)
                  .mapTo(String.class)
                  .findOne();
            })
        .thenAccept(
            topic -> {
              ids.remove(feedId);
              topic.ifPresent(topics::remove);
            });
  }

  /** Forgets the credentials of a feed that no one follows; its entries stay private. */
  static void forget(Handle handle, long feedId) {
    handle
        .createUpdate(
            """
            UPDATE private_feed SET credentials = NULL WHERE feed_id = :id
              AND NOT EXISTS (SELECT 1 FROM feed WHERE id = :id AND followed = 1)
            """)
        .bind("id", feedId)
        .execute();
  }
}
