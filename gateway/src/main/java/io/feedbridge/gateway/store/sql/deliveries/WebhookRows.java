package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.Behind;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.websub.DocumentWishes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jspecify.annotations.Nullable;

/** Endpoints as they are read, each query within a transaction of its caller. */
public final class WebhookRows {

  private static final String ALL = "SELECT w.* FROM webhook w ";

  /** No secret was replaced yet. */
  static final String NONE_RETIRED = "[]";

  private WebhookRows() {}

  /** A row, to which its feeds are still to be added. */
  private record Row(Webhook webhook, boolean everyFeed) {

    static Row of(ResultSet row, Sealing sealing) throws SQLException {
      String tag = row.getString("tag");
      Webhook webhook =
          new Webhook(
              row.getLong("id"),
              tag,
              new Webhook.Terms(
                  row.getString("url"),
                  List.of(),
                  row.getString("filter"),
                  row.getString("description"),
                  wishes(row.getString("wishes")),
                  target(row.getString("target"), sealing, tag)),
              List.of(),
              sealing.open(row.getString("secret"), Sealing.WEBHOOK, tag),
              List.of(
                  Json.read(
                      sealing.open(row.getString("retired"), Sealing.WEBHOOK_RETIRED, tag),
                      Webhook.Retired[].class)),
              Webhook.State.valueOf(row.getString("state")),
              row.getString("reason"),
              row.getBoolean("verified"),
              row.getInt("attempts"),
              Rows.instantOrNull(row, "next_attempt_at"),
              Rows.instantOrNull(row, "failing_since"),
              Rows.instantOrNull(row, "rests_until"),
              row.getLong("revision"),
              Rows.instant(row, "created_at"));
      return new Row(webhook, row.getBoolean("every_feed"));
    }

    Webhook with(List<Webhook.Topic> topics) {
      Webhook w = webhook;
      return new Webhook(
          w.id(),
          w.tag(),
          w.terms().of(topics.stream().map(Webhook.Topic::topic).toList()),
          topics,
          w.secret(),
          w.retired(),
          w.state(),
          w.reason(),
          w.verified(),
          w.attempts(),
          w.nextAttemptAt(),
          w.failingSince(),
          w.restsUntil(),
          w.revision(),
          w.createdAt());
    }
  }

  private static DocumentWishes wishes(@Nullable String stored) {
    return stored == null ? DocumentWishes.NONE : Json.read(stored, DocumentWishes.class);
  }

  private static Webhook.Target target(@Nullable String sealed, Sealing sealing, String tag) {
    return sealed == null
        ? Webhook.Target.STANDARD
        : Json.read(sealing.open(sealed, Sealing.WEBHOOK_TARGET, tag), Webhook.Target.class);
  }

  static Optional<Webhook> find(Handle handle, long id) {
    return withTopics(handle, handle.createQuery(ALL + "WHERE w.id = :id").bind("id", id)).stream()
        .findFirst();
  }

  static List<Webhook> list(
      Handle handle, WebhookFilter filter, long afterId, long skip, int limit) {
    return withTopics(
        handle,
        bound(
                handle,
                ALL
                    + "WHERE w.id > :after"
                    + conditions(filter)
                    + " ORDER BY w.id LIMIT :limit OFFSET :skip",
                filter)
            .bind("after", afterId)
            .bind("skip", skip)
            .bind("limit", limit));
  }

  static long count(Handle handle, WebhookFilter filter) {
    return bound(handle, "SELECT COUNT(*) FROM webhook w WHERE 1 = 1" + conditions(filter), filter)
        .mapTo(Long.class)
        .one();
  }

  /** The conditions of the given filter parts alone. */
  private static String conditions(WebhookFilter filter) {
    StringBuilder sql = new StringBuilder();
    if (filter.topic() != null) {
      sql.append(
          """
           AND (w.every_feed = 1 OR w.id IN (SELECT t.webhook_id FROM webhook_topic t
             JOIN feed f ON f.id = t.feed_id WHERE f.topic = :topic))
          """);
    }
    if (filter.url() != null) {
      sql.append(" AND w.url = :url");
    }
    if (filter.text() != null) {
      sql.append(" AND lower(w.url) LIKE lower(:text) ESCAPE '!'");
    }
    if (filter.state() != null) {
      sql.append(" AND w.state = :state");
    }
    if (filter.lagging() != null) {
      sql.append(filter.lagging() ? " AND EXISTS" : " AND NOT EXISTS")
          .append(
              """
               (SELECT 1 FROM consumer c WHERE c.name = 'webhook-' || w.id AND c.attempts > 0)
              """);
    }
    return sql.toString();
  }

  private static Query bound(Handle handle, String sql, WebhookFilter filter) {
    return handle
        .createQuery(sql)
        .configure(SqlStatements.class, config -> config.setUnusedBindingAllowed(true))
        .bind("topic", filter.topic())
        .bind("url", filter.url())
        .bind("text", Rows.containing(filter.text()))
        .bind("state", filter.state() == null ? null : filter.state().name());
  }

  static Map<Long, Long> active(Handle handle) {
    return handle
        .createQuery("SELECT id, revision FROM webhook WHERE state = 'ACTIVE'")
        .map((row, context) -> Map.entry(row.getLong("id"), row.getLong("revision")))
        .list()
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  static Optional<Instant> nextDue(Handle handle, Instant now) {
    return handle
        .createQuery(
            """
            SELECT next_attempt_at AS at FROM webhook WHERE next_attempt_at > :now
            ORDER BY next_attempt_at LIMIT 1
            """)
        .bind("now", now.toEpochMilli())
        .map((row, context) -> Rows.instant(row, "at"))
        .findOne();
  }

  static List<Webhook> due(
      Handle handle, Instant now, Set<String> passedHosts, int limit, Collection<Long> damaged) {
    String passed = passedHosts.isEmpty() ? "" : " AND w.host NOT IN (<passed>)";
    Query query =
        handle
            .createQuery(
                ALL
                    + "WHERE w.next_attempt_at <= :now"
                    + passed
                    + " ORDER BY w.next_attempt_at LIMIT :limit")
            .bind("now", now.toEpochMilli())
            .bind("limit", limit);
    return withTopics(
        handle,
        passedHosts.isEmpty() ? query : query.bindList("passed", List.copyOf(passedHosts)),
        damaged);
  }

  private static List<Webhook> withTopics(Handle handle, Query query) {
    return withTopics(handle, query, new ArrayList<>());
  }

  private static List<Webhook> withTopics(Handle handle, Query query, Collection<Long> damaged) {
    List<Row> rows =
        DamagedRows.list(
            query, "webhook", (row, context) -> Row.of(row, Sealing.of(context)), damaged);
    List<Long> named =
        rows.stream().filter(row -> !row.everyFeed).map(row -> row.webhook.id()).toList();
    Map<Long, List<Webhook.Topic>> topics = new HashMap<>();
    if (!named.isEmpty()) {
      handle
          .createQuery(
              """
              SELECT t.webhook_id, t.feed_id, t.start, f.topic
              FROM webhook_topic t JOIN feed f ON f.id = t.feed_id
              WHERE t.webhook_id IN (<ids>) ORDER BY t.webhook_id, t.feed_id
              """)
          .bindList("ids", named)
          .map(
              (row, context) ->
                  Map.entry(
                      row.getLong("webhook_id"),
                      new Webhook.Topic(
                          row.getLong("feed_id"), row.getString("topic"), row.getLong("start"))))
          .forEach(
              topic ->
                  topics
                      .computeIfAbsent(topic.getKey(), id -> new ArrayList<>())
                      .add(topic.getValue()));
    }
    return rows.stream()
        .map(row -> row.with(topics.getOrDefault(row.webhook.id(), List.of())))
        .toList();
  }

  static Optional<Behind> behind(Handle handle, Webhook webhook) {
    Optional<LogConsumer> consumer = Consumers.find(handle, webhook.consumer());
    boolean waits = webhook.state() == Webhook.State.DISABLED;
    return consumer
        .filter(one -> waits || one.attempts() > 0)
        .map(
            one ->
                new Behind(
                    missed(handle, webhook, one.cursor()),
                    since(handle, webhook, one.cursor()),
                    one.attempts(),
                    waits ? null : one.nextAttemptAt(),
                    one.error()));
  }

  private static String missedOf(Webhook webhook) {
    String all = " FROM event e WHERE e.seq > :cursor";
    return webhook.topics().isEmpty()
        ? all
        : """
           FROM event e JOIN webhook_topic t
             ON t.webhook_id = :id AND t.feed_id = e.feed_id AND e.seq > t.start
           WHERE e.seq > :cursor
          """;
  }

  private static long missed(Handle handle, Webhook webhook, long cursor) {
    return handle
        .createQuery(
            "SELECT COUNT(*) FROM (SELECT 1" + missedOf(webhook) + " LIMIT :most) AS missed")
        .configure(SqlStatements.class, config -> config.setUnusedBindingAllowed(true))
        .bind("id", webhook.id())
        .bind("cursor", cursor)
        .bind("most", Webhooks.MAX_COUNTED)
        .mapTo(Long.class)
        .one();
  }

  private static @Nullable Instant since(Handle handle, Webhook webhook, long cursor) {
    return handle
        .createQuery("SELECT e.at" + missedOf(webhook) + " ORDER BY e.seq LIMIT 1")
        .configure(SqlStatements.class, config -> config.setUnusedBindingAllowed(true))
        .bind("id", webhook.id())
        .bind("cursor", cursor)
        .map((row, context) -> Rows.instant(row, "at"))
        .findOne()
        .orElse(null);
  }

  static List<Long> failingSinceBefore(Handle handle, Instant time, int limit) {
    return handle
        .createQuery(
            """
            SELECT id FROM webhook WHERE failing_since < :time AND state = 'ACTIVE'
            ORDER BY failing_since LIMIT :limit
            """)
        .bind("time", time.toEpochMilli())
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }
}
