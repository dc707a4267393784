package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Terms;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/**
 * The subscriptions that have ended, for as long as the log is kept: of each callback at a feed the
 * last one, and {@value #MAX} of all. Without their secrets.
 */
public final class EndedSubscriptions {

  /** Subscriptions that are kept; the oldest ends go first. */
  public static final int MAX = 100_000;

  /** The columns that a statement which deletes subscriptions returns. */
  static final String RETURNED = "id, feed_id, protocol, callback, terms, created_at";

  private static final String MATCHING =
      """
       FROM ended_subscription
      WHERE (:topic IS NULL OR topic = :topic) AND (:callback IS NULL OR callback = :callback)
        AND (:text IS NULL OR lower(callback) LIKE lower(:text) ESCAPE '!')
        AND (:protocol IS NULL OR protocol = :protocol)
      """;

  private final Database database;

  public EndedSubscriptions(Database database) {
    this.database = database;
  }

  /**
   * A subscription that has ended.
   *
   * @param state DENIED, EXPIRED, ENDED or FAILED
   * @param reason in a few words, for operators
   */
  public record Entry(
      long id,
      Protocol protocol,
      String topic,
      String callback,
      Format format,
      SubscriptionState state,
      String reason,
      Instant createdAt,
      Instant endedAt) {}

  /** A row that was deleted. */
  record Row(
      long id, long feedId, Protocol protocol, String callback, String terms, Instant createdAt) {

    static Row of(ResultSet row) throws SQLException {
      return new Row(
          row.getLong("id"),
          row.getLong("feed_id"),
          Protocol.valueOf(row.getString("protocol")),
          row.getString("callback"),
          row.getString("terms"),
          Rows.instant(row, "created_at"));
    }
  }

  /** Keeps a row that was deleted, in the same transaction. */
  static void keep(
      Handle handle, Row row, String topic, SubscriptionState state, String reason, Instant now) {
    handle
        .createUpdate(
            """
            DELETE FROM ended_subscription
            WHERE feed_id = :feed AND protocol = :protocol AND callback = :callback
            """)
        .bind("feed", row.feedId)
        .bind("protocol", row.protocol.name())
        .bind("callback", row.callback)
        .execute();
    long number =
        handle
            .createQuery(
                """
                INSERT INTO ended_subscription (id, feed_id, protocol, topic, callback, format, state,
                  reason, created_at, ended_at)
                VALUES (:id, :feed, :protocol, :topic, :callback, :format, :state,
                  :reason, :created, :now)
                RETURNING number
                """)
            .bind("id", row.id)
            .bind("feed", row.feedId)
            .bind("protocol", row.protocol.name())
            .bind("topic", topic)
            .bind("callback", row.callback)
            .bind("format", Json.read(row.terms, Terms.class).format().name())
            .bind("state", state.name())
            .bind("reason", reason)
            .bind("created", row.createdAt.toEpochMilli())
            .bind("now", now.toEpochMilli())
            .mapTo(Long.class)
            .one();
    handle
        .createUpdate("DELETE FROM ended_subscription WHERE number <= :last")
        .bind("last", number - MAX)
        .execute();
  }

  /** The subscription of an id, if it has ended. */
  public Optional<Entry> find(long id) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM ended_subscription WHERE id = :id")
                .bind("id", id)
                .map((row, context) -> entry(row))
                .findOne());
  }

  /**
   * The ended subscriptions that match, in the order of their ids.
   *
   * @param filter whose state does not count
   * @param skip subscriptions to pass over
   */
  public List<Entry> list(SubscriptionQueries.Filter filter, long after, long skip, int limit) {
    return database.read(
        handle ->
            bound(
                    handle,
                    "SELECT *"
                        + MATCHING
                        + " AND id > :after ORDER BY id LIMIT :limit OFFSET :skip",
                    filter)
                .bind("after", after)
                .bind("skip", skip)
                .bind("limit", limit)
                .map((row, context) -> entry(row))
                .list());
  }

  /** How many ended subscriptions match. */
  public long count(SubscriptionQueries.Filter filter) {
    return database.read(
        handle -> bound(handle, "SELECT COUNT(*)" + MATCHING, filter).mapTo(Long.class).one());
  }

  private static Query bound(Handle handle, String sql, SubscriptionQueries.Filter filter) {
    Protocol protocol = filter.protocol();
    return handle
        .createQuery(sql)
        .bind("topic", filter.topic())
        .bind("callback", filter.callback())
        .bind("text", Rows.containing(filter.text()))
        .bind("protocol", protocol == null ? null : protocol.name());
  }

  /** The ended subscriptions of a feed, in the order of their ids. */
  public List<Entry> ofFeed(long feedId, long after, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT * FROM ended_subscription WHERE feed_id = :feed AND id > :after
                    ORDER BY id LIMIT :limit
                    """)
                .bind("feed", feedId)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) -> entry(row))
                .list());
  }

  /**
   * Forgets subscriptions that ended before a time, the oldest first.
   *
   * @param limit of the rows that are looked at
   * @return how many were forgotten
   */
  public CompletableFuture<Integer> trim(Instant before, int limit) {
    return database.write(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    DELETE FROM ended_subscription WHERE number IN (SELECT number FROM
                      (SELECT number, ended_at FROM ended_subscription
                       ORDER BY number LIMIT :limit) AS oldest
                      WHERE ended_at < :before)
                    """)
                .bind("before", before.toEpochMilli())
                .bind("limit", limit)
                .execute());
  }

  private static Entry entry(ResultSet row) throws SQLException {
    return new Entry(
        row.getLong("id"),
        Protocol.valueOf(row.getString("protocol")),
        row.getString("topic"),
        row.getString("callback"),
        Format.valueOf(row.getString("format")),
        SubscriptionState.valueOf(row.getString("state")),
        row.getString("reason"),
        Rows.instant(row, "created_at"),
        Rows.instant(row, "ended_at"));
  }
}
