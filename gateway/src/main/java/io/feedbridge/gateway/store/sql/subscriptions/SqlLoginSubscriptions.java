package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Format;
import io.feedbridge.gateway.store.LoginSubscriptions;
import io.feedbridge.gateway.store.Standing;
import io.feedbridge.gateway.store.Subscription;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The subscriptions by their logins as SQL. */
public final class SqlLoginSubscriptions implements LoginSubscriptions {

  private static final String FROM =
      " FROM subscription s JOIN feed f ON f.id = s.feed_id WHERE s.protocol = 'WEBSUB'";

  /** As {@link Standing#bozoRank} has it. */
  private static final String BOZO =
      """
      round((SELECT CAST(share + (1 - share)
            * CASE WHEN repaired IN ('1', 'true') THEN 0.1 ELSE 0 END AS NUMERIC) FROM
        (SELECT CASE WHEN CAST(f.fetched ->> '$.standing.recent' AS BIGINT) > 0
            THEN CAST(f.fetched ->> '$.standing.renamed' AS DOUBLE PRECISION)
              / CAST(f.fetched ->> '$.standing.recent' AS BIGINT)
            ELSE 0 END AS share,
          CAST(f.fetched ->> '$.standing.repaired' AS TEXT) AS repaired) AS standing), 3)\
      """;

  private final Database database;

  public SqlLoginSubscriptions(Database database) {
    this.database = database;
  }

  /**
   * Conditions with their bound values. The statement contains the conditions of the given filter
   * parts alone.
   */
  private record Where(StringBuilder sql, Map<String, Object> values) {

    static Where of(Filter filter) {
      Where where = new Where(new StringBuilder(FROM), new LinkedHashMap<>());
      Format format = filter.format();
      where.and("s.owner = :owner", "owner", filter.owner());
      where.and("s.terms ->> 'format' = :format", "format", format == null ? null : format.name());
      where.and("f.topic = :topic", "topic", filter.topic());
      where.and("s.callback = :callback", "callback", filter.callback());
      where.and("instr(lower(f.topic), lower(:topicPart)) > 0", "topicPart", filter.topicPart());
      where.and(
          "instr(lower(s.callback), lower(:callbackPart)) > 0",
          "callbackPart",
          filter.callbackPart());
      // A topic is normalised, so that its host ends with a slash or a port.
      where.and(
          """
          (substr(f.topic, instr(f.topic, '://') + 3, length(:topicHost) + 1)
            IN (lower(:topicHost) || '/', lower(:topicHost) || ':'))\
          """,
          "topicHost",
          filter.topicHost());
      where.and(
          """
          (s.host = lower(:callbackHost)
            OR substr(s.host, 1, length(:callbackHost) + 1) = lower(:callbackHost) || ':')\
          """,
          "callbackHost",
          filter.callbackHost());
      where.and(
          "CAST(f.fetched ->> '$.maintenance.velocity' AS DOUBLE PRECISION)",
          "velocity",
          filter.velocity());
      where.and(BOZO, "bozo", filter.bozo());
      return where;
    }

    private void and(String condition, String name, @Nullable String value) {
      if (value != null) {
        sql.append(" AND ").append(condition);
        values.put(name, value);
      }
    }

    private void and(String number, String name, @Nullable Bound bound) {
      if (bound != null) {
        String sign =
            switch (bound.comparison()) {
              case EQUAL -> "=";
              case LESS -> "<";
              case AT_MOST -> "<=";
              case MORE -> ">";
              case AT_LEAST -> ">=";
            };
        sql.append(" AND ").append(number).append(' ').append(sign).append(" :").append(name);
        values.put(name, bound.value());
      }
    }

    Query query(Handle handle, String select, String end) {
      return handle.createQuery(select + sql + end).bindMap(values);
    }
  }

  @Override
  public List<Holding> list(Filter filter, int limit, long offset) {
    return database.readLong(
        handle -> {
          List<Subscription> found =
              Where.of(filter)
                  .query(
                      handle,
                      "SELECT " + Rows.SUBSCRIPTION,
                      " ORDER BY s.id LIMIT :limit OFFSET :offset")
                  .bind("limit", limit)
                  .bind("offset", offset)
                  .map(Rows::subscription)
                  .list();
          Map<Long, FollowedFeed> feeds = new LinkedHashMap<>();
          return found.stream()
              .map(
                  one ->
                      new Holding(one, feeds.computeIfAbsent(one.feedId(), id -> feed(handle, id))))
              .toList();
        });
  }

  private static FollowedFeed feed(Handle handle, long id) {
    return handle
        .createQuery("SELECT * FROM feed WHERE id = :id")
        .bind("id", id)
        .map(Rows::feed)
        .one();
  }

  @Override
  public List<FollowedFeed> feeds(Filter filter, int limit) {
    return database.readLong(
        handle ->
            Where.of(filter)
                .query(handle, "SELECT DISTINCT f.*", " ORDER BY f.id LIMIT :limit")
                .bind("limit", limit)
                .map(Rows::feed)
                .list());
  }
}
