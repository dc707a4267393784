package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Standing;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The active WebSub subscriptions, by the login that made them. */
public final class LoginSubscriptions {

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

  public LoginSubscriptions(Database database) {
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

  /**
   * The subscriptions that match, the oldest first.
   *
   * @param offset how many matching subscriptions to skip
   */
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

  /** The feeds of the subscriptions that match, without repetition, in the order of their ids. */
  public List<FollowedFeed> feeds(Filter filter, int limit) {
    return database.readLong(
        handle ->
            Where.of(filter)
                .query(handle, "SELECT DISTINCT f.*", " ORDER BY f.id LIMIT :limit")
                .bind("limit", limit)
                .map(Rows::feed)
                .list());
  }

  /** A subscription with its feed. */
  public record Holding(Subscription subscription, FollowedFeed feed) {}

  /**
   * The conditions that a subscription must meet; an absent part matches all subscriptions. The
   * case of letters makes no difference in parts of a URL.
   *
   * @param owner the login
   * @param topic the feed's topic
   * @param topicPart a part of the topic
   * @param topicHost the host name of the topic
   * @param velocity of the feed
   * @param bozo rank of the feed
   * @param callback the stored callback
   * @param callbackPart a part of the callback
   * @param callbackHost the host name of the callback
   */
  public record Filter(
      @Nullable String owner,
      @Nullable Format format,
      @Nullable String topic,
      @Nullable String topicPart,
      @Nullable String topicHost,
      @Nullable Bound velocity,
      @Nullable Bound bozo,
      @Nullable String callback,
      @Nullable String callbackPart,
      @Nullable String callbackHost) {

    /** Matches the subscriptions of a login, or of all logins. */
    public static Filter of(@Nullable String owner) {
      return new Filter(owner, null, null, null, null, null, null, null, null, null);
    }

    /** This filter, for one topic. */
    public Filter to(String wanted) {
      return new Filter(
          owner,
          format,
          wanted,
          topicPart,
          topicHost,
          velocity,
          bozo,
          callback,
          callbackPart,
          callbackHost);
    }

    /** This filter, for one callback. */
    public Filter at(String wanted) {
      return new Filter(
          owner,
          format,
          topic,
          topicPart,
          topicHost,
          velocity,
          bozo,
          wanted,
          callbackPart,
          callbackHost);
    }
  }

  /** A condition on a number; an unknown number does not meet it. */
  public record Bound(Comparison comparison, double value) {}

  /** How a number is compared. */
  public enum Comparison {
    EQUAL,
    LESS,
    AT_MOST,
    MORE,
    AT_LEAST
  }
}
