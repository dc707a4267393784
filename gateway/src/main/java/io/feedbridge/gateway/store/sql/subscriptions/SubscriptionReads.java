package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.subscriptions.PeerGateway;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Subscriptions.NamedPath;
import io.feedbridge.gateway.store.subscriptions.Terms;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Reads of subscriptions within a transaction or beside one. */
final class SubscriptionReads {

  /** A part of the stored terms that only a gateway's terms contain. */
  private static final String NAMES_PATH = "\"path\":{";

  private SubscriptionReads() {}

  static Optional<Subscription> byId(Handle handle, long id) {
    return handle
        .createQuery("SELECT " + Rows.SUBSCRIPTION + " FROM subscription s WHERE s.id = :id")
        .bind("id", id)
        .map((row, context) -> Rows.subscription(row, context))
        .findOne();
  }

  static boolean isActive(Handle handle, String topic, String callback) {
    return handle
        .createQuery(
            """
                    SELECT EXISTS (SELECT 1 FROM subscription s JOIN feed f ON f.id = s.feed_id
                      WHERE f.topic = :topic AND s.protocol IN ('WEBSUB', 'RSSCLOUD')
                        AND s.callback = :callback)
                    """)
        .bind("topic", topic)
        .bind("callback", callback)
        .mapTo(Boolean.class)
        .one();
  }

  static List<Subscription> byIds(Handle handle, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    return DamagedRows.list(
        handle
            .createQuery(
                "SELECT "
                    + Rows.SUBSCRIPTION
                    + """
                         FROM subscription s WHERE s.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
                        ORDER BY s.id
                        """)
            .bind("ids", Json.text(ids)),
        "subscription",
        Rows::subscription);
  }

  static List<Subscription> ofFeed(Handle handle, long feedId, long afterId, int limit) {
    return DamagedRows.list(
        handle
            .createQuery(
                "SELECT "
                    + Rows.SUBSCRIPTION
                    + """
                         FROM subscription s WHERE s.feed_id = :feed AND s.id > :after
                        ORDER BY s.id LIMIT :limit
                        """)
            .bind("feed", feedId)
            .bind("after", afterId)
            .bind("limit", limit),
        "subscription",
        Rows::subscription);
  }

  static long readers(Handle handle, long feedId) {
    return handle
        // For subscriptions that stand for one reader each, the query reads an index alone.
        .createQuery(
            """
                    SELECT (SELECT COUNT(*) FROM subscription WHERE feed_id = :feed)
                      + (SELECT COALESCE(SUM(readers - 1), 0) FROM subscription
                         WHERE feed_id = :feed AND readers <> 1)
                      + (SELECT COUNT(*) FROM webhook_topic WHERE feed_id = :feed)
                      + (SELECT COUNT(*) FROM list_member WHERE feed_id = :feed)
                    """)
        .bind("feed", feedId)
        .mapTo(Long.class)
        .one();
  }

  static List<NamedPath> paths(Handle handle, long feedId) {
    return handle
        .createQuery(
            """
                    SELECT id, callback, terms FROM subscription
                    WHERE feed_id = :feed AND instr(terms, '"path":{') > 0
                    UNION ALL
                    SELECT id, callback, terms FROM verification
                    WHERE feed_id = :feed AND mode = 'SUBSCRIBE'
                      AND instr(terms, '"path":{') > 0
                    """)
        .bind("feed", feedId)
        .map(
            (row, context) ->
                DamagedRows.read(
                    row,
                    context,
                    "subscription",
                    "id",
                    (one, same) ->
                        new NamedPath(
                            one.getString("callback"),
                            Objects.requireNonNullElse(
                                path(one.getString("terms")), GatewayPath.NONE))))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  static boolean anyOf(Handle handle, PeerGateway peer, long feedId) {
    String from = peer.callbacks();
    return handle
        .createQuery(
            """
                    SELECT EXISTS (SELECT 1 FROM subscription
                        WHERE feed_id = :feed AND protocol IN ('WEBSUB', 'RSSCLOUD')
                          AND callback >= :from AND callback < :to)
                      OR EXISTS (SELECT 1 FROM verification
                        WHERE feed_id = :feed AND mode = 'SUBSCRIBE'
                          AND callback >= :from AND callback < :to)
                    """)
        .bind("feed", feedId)
        .bind("from", from)
        // The range ends with the character after the slash, so that one index range holds all
        // callbacks.
        .bind("to", from.substring(0, from.length() - 1) + (char) ('/' + 1))
        .mapTo(Boolean.class)
        .one();
  }

  static boolean anyRaw(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT EXISTS (SELECT 1 FROM subscription WHERE feed_id = :feed AND raw = 1)")
        .bind("feed", feedId)
        .mapTo(Boolean.class)
        .one();
  }

  static Optional<Instant> nextExpiry(Handle handle) {
    return handle
        .createQuery("SELECT lease_ends_at AS at FROM subscription ORDER BY 1 LIMIT 1")
        .map((row, context) -> Rows.instant(row, "at"))
        .findOne();
  }

  /** The path that stored terms name; null where they name none. */
  static @Nullable GatewayPath path(String terms) {
    return terms.contains(NAMES_PATH) ? Json.read(terms, Terms.class).path() : null;
  }
}
