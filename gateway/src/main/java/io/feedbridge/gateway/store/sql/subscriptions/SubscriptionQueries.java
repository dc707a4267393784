package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.Format;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Laggards;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.SubscriptionState;
import io.feedbridge.gateway.store.Terms;
import io.feedbridge.gateway.store.Verification;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.feeds.FollowedFeeds;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions and waiting requests, and how far behind each subscription is, for operators.
 * Deliveries are made from {@link Rounds} and {@link Laggards} instead.
 */
public final class SubscriptionQueries {

  // A row that only waits for the feed's next round misses nothing (rule L5).
  private static final String COLUMNS =
      """
      SELECT s.id, f.topic, f.first_fetch_at, s.protocol, s.callback, s.terms, s.lease_ends_at,
        s.created_at,
        l.state, l.attempts, l.error, l.next_attempt_at,
        (SELECT COUNT(*) FROM event WHERE feed_id = s.feed_id AND seq > l.cursor) AS missed,
        (SELECT at FROM event WHERE feed_id = s.feed_id AND seq > l.cursor
         ORDER BY seq LIMIT 1) AS since
      """;

  private static final String ACTIVE =
      COLUMNS
          + """
          FROM subscription s JOIN feed f ON f.id = s.feed_id
            LEFT JOIN laggard l ON l.subscription_id = s.id AND %s
          """
              .formatted(Rows.LAGS);

  /** The few laggards among very many subscriptions are found from their own table. */
  static final String LAGGING =
      COLUMNS
          + """
          FROM laggard l JOIN subscription s ON s.id = l.subscription_id
            JOIN feed f ON f.id = s.feed_id
          WHERE %s AND l.subscription_id > :after
          """
              .formatted(Rows.LAGS);

  static final String LAGGING_ORDER = " ORDER BY l.subscription_id LIMIT :limit";

  private static final String PENDING =
      """
      SELECT v.id, v.topic, v.callback, v.terms, v.requested_at FROM verification v
      WHERE v.mode = 'SUBSCRIBE' AND NOT EXISTS
        (SELECT 1 FROM subscription s WHERE s.feed_id = v.feed_id AND s.protocol = 'WEBSUB'
           AND s.callback = v.callback)
      """;

  private final Database database;
  private final Transitions transitions;

  public SubscriptionQueries(Database database, Transitions transitions) {
    this.database = database;
    this.transitions = transitions;
  }

  /**
   * The entries that match, in the order of their keys.
   *
   * @param after the listing begins after this key; absent to begin with the first entry
   */
  public List<Entry> list(Filter filter, @Nullable Key after, int limit) {
    return database.read(
        handle -> {
          List<Entry> entries = new ArrayList<>();
          if (mayBeActive(filter.state()) && (after == null || !after.pending())) {
            entries.addAll(active(handle, filter, after == null ? 0 : after.id(), limit));
          }
          boolean mayBePending =
              (filter.state() == null || filter.state() == SubscriptionState.PENDING)
                  && filter.protocol() != Protocol.RSSCLOUD;
          if (mayBePending && entries.size() < limit) {
            long afterId = after != null && after.pending() ? after.id() : 0;
            entries.addAll(pending(handle, filter, afterId, limit - entries.size()));
          }
          return entries;
        });
  }

  private static boolean mayBeActive(@Nullable SubscriptionState wanted) {
    return wanted == null
        || switch (wanted) {
          case ACTIVE, WAITING, LAGGING -> true;
          case PENDING, DENIED, UNCONFIRMED, EXPIRED, ENDED, FAILED -> false;
        };
  }

  private static List<Entry> active(Handle handle, Filter filter, long after, int limit) {
    boolean lagging = filter.state() == SubscriptionState.LAGGING;
    StringBuilder sql =
        lagging
            ? new StringBuilder(LAGGING)
            : new StringBuilder(ACTIVE).append("WHERE s.id > :after");
    if (filter.topic() != null) {
      sql.append(" AND f.topic = :topic");
    }
    if (filter.protocol() != null) {
      sql.append(" AND s.protocol = :protocol");
    }
    if (filter.callback() != null) {
      sql.append(" AND s.callback = :callback");
    }
    if (filter.text() != null) {
      sql.append(" AND lower(s.callback) LIKE lower(:text) ESCAPE '!'");
    }
    if (filter.state() != null && !lagging) {
      boolean waiting = filter.state() == SubscriptionState.WAITING;
      sql.append(" AND l.subscription_id IS NULL AND f.first_fetch_at IS ")
          .append(waiting ? "NULL" : "NOT NULL");
    }
    sql.append(lagging ? LAGGING_ORDER : " ORDER BY s.id LIMIT :limit");
    return handle
        .createQuery(sql.toString())
        // The statement contains the conditions of the given filter parts alone, so that SQLite can
        // use an index for them.
        .configure(SqlStatements.class, config -> config.setUnusedBindingAllowed(true))
        .bind("after", after)
        .bind("topic", filter.topic())
        .bind("protocol", filter.protocol() == null ? null : filter.protocol().name())
        .bind("callback", filter.callback())
        .bind("text", Rows.containing(filter.text()))
        .bind("limit", limit)
        .map((row, context) -> active(row))
        .list();
  }

  private static List<Entry> pending(Handle handle, Filter filter, long after, int limit) {
    return handle
        .createQuery(
            PENDING
                + """
                 AND v.id > :after AND (:topic IS NULL OR v.topic = :topic)
                  AND (:callback IS NULL OR v.callback = :callback)
                  AND (:text IS NULL OR lower(v.callback) LIKE lower(:text) ESCAPE '!')
                ORDER BY v.id LIMIT :limit
                """)
        .bind("after", after)
        .bind("topic", filter.topic())
        .bind("callback", filter.callback())
        .bind("text", Rows.containing(filter.text()))
        .bind("limit", limit)
        .map((row, context) -> pending(row))
        .list();
  }

  private static Entry active(ResultSet row) throws SQLException {
    String state = row.getString("state");
    boolean lags = state != null;
    boolean isUnderWay = lags && Laggard.State.valueOf(state) == Laggard.State.IN_FLIGHT;
    return new Entry(
        new Key(false, row.getLong("id")),
        Protocol.valueOf(row.getString("protocol")),
        row.getString("topic"),
        row.getString("callback"),
        Json.read(row.getString("terms"), Terms.class).format(),
        state(lags, Rows.instantOrNull(row, "first_fetch_at") != null),
        Rows.instant(row, "lease_ends_at"),
        Rows.instant(row, "created_at"),
        lags
            ? new Behind(
                row.getLong("missed"),
                Rows.instantOrNull(row, "since"),
                row.getInt("attempts"),
                isUnderWay ? null : Rows.instant(row, "next_attempt_at"),
                row.getString("error"))
            : null);
  }

  private static SubscriptionState state(boolean lags, boolean hasBaseline) {
    if (lags) {
      return SubscriptionState.LAGGING;
    }
    return hasBaseline ? SubscriptionState.ACTIVE : SubscriptionState.WAITING;
  }

  private static Entry pending(ResultSet row) throws SQLException {
    return new Entry(
        new Key(true, row.getLong("id")),
        Protocol.WEBSUB,
        row.getString("topic"),
        row.getString("callback"),
        Json.read(row.getString("terms"), Terms.class).format(),
        SubscriptionState.PENDING,
        null,
        Rows.instant(row, "requested_at"),
        null);
  }

  public Optional<Entry> find(Key key) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    key.pending() ? PENDING + " AND v.id = :id" : ACTIVE + "WHERE s.id = :id")
                .bind("id", key.id())
                .map((row, context) -> key.pending() ? pending(row) : active(row))
                .findOne());
  }

  /**
   * Where the subscriptions of a feed stand with one of its events, in the order of their ids.
   *
   * @param seq the event; the answer is meaningful while the event is in the log
   * @param after the listing begins after this subscription; 0 to begin with the first one
   */
  public List<Recipient> recipients(long feedId, long seq, long after, int limit) {
    return database.read(handle -> EventRecipients.list(handle, feedId, seq, after, limit));
  }

  /**
   * Forgets a request that waits for its callback; an existing subscription stays as it is.
   *
   * @return whether it was there
   */
  public CompletableFuture<Boolean> withdraw(long verificationId, Instant now) {
    return transitions.step(
        database::write,
        (handle, effects, told) -> withdraw(handle, effects, verificationId, told));
  }

  private static boolean withdraw(
      Handle handle, Set<Effect> effects, long id, Transitions.Told told) {
    Optional<Verification> request =
        handle
            .createQuery("SELECT * FROM verification WHERE id = :id AND mode = 'SUBSCRIBE'")
            .bind("id", id)
            .map((row, context) -> Rows.verification(row, context))
            .findOne();
    Long feedId = request.map(Verification::feedId).orElse(null);
    if (feedId == null) {
      return false;
    }
    SqlRequests.refuse(
        handle, request.get(), SubscriptionState.DENIED, "withdrawn by the operator", told);
    FollowedFeeds.unfollowIfUnused(handle, effects, feedId);
    return true;
  }

  /**
   * The name of an entry. Subscriptions come before waiting requests.
   *
   * @param pending whether the entry is a request that waits for its callback to confirm it
   * @param id of the subscription or the verification
   */
  public record Key(boolean pending, long id) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::pending).thenComparing(Key::id);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * The conditions that an entry must meet; an absent part matches all entries.
   *
   * @param state a state that the store keeps; no entry is in another
   * @param text a part of the callback; the case of ASCII letters makes no difference
   */
  public record Filter(
      @Nullable String topic,
      @Nullable Protocol protocol,
      @Nullable SubscriptionState state,
      @Nullable String callback,
      @Nullable String text) {

    /** Matches each entry. */
    public static final Filter ALL = new Filter(null, null, null, null, null);
  }

  /**
   * A subscription, or a request for a subscription.
   *
   * @param leaseEndsAt absent while it is pending
   * @param createdAt when it began, or was asked for
   * @param behind absent unless it lags
   */
  public record Entry(
      Key key,
      Protocol protocol,
      String topic,
      String callback,
      Format format,
      SubscriptionState state,
      @Nullable Instant leaseEndsAt,
      Instant createdAt,
      @Nullable Behind behind) {}

  /**
   * The events that a laggard misses.
   *
   * @param events the number of the feed's events after its cursor
   * @param since when the oldest of them was appended; absent if none of them is in the log any
   *     more
   * @param attempts in a row that failed
   * @param nextAttemptAt absent while a request is under way
   * @param lastError why the last attempt failed
   */
  public record Behind(
      long events,
      @Nullable Instant since,
      int attempts,
      @Nullable Instant nextAttemptAt,
      @Nullable String lastError) {}

  /**
   * A subscription and one event.
   *
   * @param attempts in a row that failed; 0 unless the subscription has the event still before it
   * @param nextAttemptAt absent while nothing is planned or a request is under way
   * @param reason why the last attempt failed, or the name of the reason of a gap
   */
  public record Recipient(
      long id,
      Protocol protocol,
      String callback,
      Reach reach,
      int attempts,
      @Nullable Instant nextAttemptAt,
      @Nullable String reason) {}

  /** Where a subscription stands with an event. */
  public enum Reach {
    /** The subscription began after the event, which is not for it (rule L6). */
    TOO_EARLY,
    /** The event lies in a gap: the subscription is not sent it (rule L13). */
    SKIPPED,
    /** The subscription has answered 2xx to the event, or the event held nothing for it. */
    PAST,
    /** A request that holds the event is under way. */
    UNDER_WAY,
    /** The last attempt failed; there will be another. */
    FAILED,
    /** The event follows other events that the subscription misses. */
    BEHIND,
    /** The round of the event is open, and has no recorded outcome for the subscription. */
    IN_ROUND,
    /** The round of the event has not begun. */
    NOT_BEGUN
  }
}
