package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions.Choice;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Reads of upstream subscriptions within a transaction or beside one. */
final class UpstreamReads {

  private UpstreamReads() {}

  static List<Choice> toChoose(Handle handle, int limit) {
    return DamagedRows.list(
        handle
            .createQuery(
                """
                SELECT * FROM feed
                WHERE revision > chosen_revision
                  AND (first_fetch_at IS NOT NULL OR followed = 0)
                ORDER BY id LIMIT :limit
                """)
            .bind("limit", limit),
        "feed",
        (row, context) ->
            new Choice(
                Rows.feed(row, context),
                row.getLong("revision"),
                ofFeed(handle, row.getLong("id"))));
  }

  static List<UpstreamSubscription> ofFeed(Handle handle, long feedId) {
    return DamagedRows.list(
        handle
            .createQuery("SELECT * FROM following WHERE feed_id = :feed ORDER BY id")
            .bind("feed", feedId),
        "following",
        Rows::following);
  }

  static Optional<UpstreamSubscriptions.Called> called(Handle handle, String token) {
    return handle
        .createQuery(
            """
            SELECT f.*, feed.topic AS feed FROM following f JOIN feed ON feed.id = f.feed_id
            WHERE f.token = :token
            """)
        .bind("token", token)
        .map(
            (row, context) ->
                new UpstreamSubscriptions.Called(
                    Rows.following(row, context), row.getString("feed")))
        .findOne();
  }

  static Map<String, String> namesAtClouds(Handle handle, int limit) {
    return handle
        .createQuery(
            """
            SELECT f.topic, f.token FROM following f JOIN feed ON feed.id = f.feed_id
            WHERE f.kind = :kind AND f.topic <> feed.topic LIMIT :limit
            """)
        .bind("kind", UpstreamSubscription.Kind.RSSCLOUD.name())
        .bind("limit", limit)
        .reduceRows(
            new HashMap<String, String>(),
            (names, row) -> {
              names.put(row.getColumn("topic", String.class), row.getColumn("token", String.class));
              return names;
            });
  }

  /**
   * Subscriptions that are due.
   *
   * @param damaged receives the ids of rows that cannot be read
   * @param among {@code IN} for subscriptions at these hosts, {@code NOT IN} for all others
   */
  static List<UpstreamSubscription> due(
      Handle handle,
      Collection<Long> damaged,
      String among,
      Instant now,
      Set<String> hosts,
      int limit) {
    return DamagedRows.list(
        handle
            .createQuery(
                """
                SELECT * FROM following
                WHERE next_action_at <= :now
                  AND host %s (SELECT value FROM json_each(:hosts))
                ORDER BY next_action_at LIMIT :limit
                """
                    .formatted(among))
            .bind("now", now.toEpochMilli())
            .bind("hosts", Json.text(hosts))
            .bind("limit", limit),
        "following",
        Rows::following,
        damaged);
  }

  static Optional<Instant> nextDue(Handle handle, Instant now) {
    return handle
        .createQuery(
            """
            SELECT next_action_at AS at FROM following WHERE next_action_at > :now
            ORDER BY 1 LIMIT 1
            """)
        .bind("now", now.toEpochMilli())
        .map((row, context) -> Rows.instant(row, "at"))
        .findOne();
  }
}
