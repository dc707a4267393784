package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.Behind;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.feeds.FollowedFeeds;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.websub.DocumentWishes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
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
        s.created_at, (SELECT due_at FROM digest d WHERE d.subscription_id = s.id AND d.is_new = 0) AS digest_due,
        l.state, l.attempts, l.error, l.next_attempt_at,
        (SELECT COUNT(*) FROM event WHERE feed_id = s.feed_id AND seq > l.cursor) AS missed,
        (SELECT at FROM event WHERE feed_id = s.feed_id AND seq > l.cursor
         ORDER BY seq LIMIT 1) AS since
      """;

  private static final EntrySource ACTIVE =
      new EntrySource(
          COLUMNS,
          "FROM subscription s",
          """
           JOIN feed f ON f.id = s.feed_id
            LEFT JOIN laggard l ON l.subscription_id = s.id AND %s
          """
              .formatted(Rows.LAGS),
          " WHERE s.id > :after",
          "s.id");

  /** The few laggards among very many subscriptions are found from their own table. */
  static final EntrySource LAGGING =
      new EntrySource(
          COLUMNS,
          "FROM laggard l JOIN subscription s ON s.id = l.subscription_id",
          " JOIN feed f ON f.id = s.feed_id",
          " WHERE %s AND l.subscription_id > :after".formatted(Rows.LAGS),
          "l.subscription_id");

  private static final EntrySource PENDING =
      new EntrySource(
          "SELECT v.id, v.topic, v.callback, v.terms, v.requested_at ",
          "FROM verification v",
          "",
          """
           WHERE v.id > :after AND v.mode = 'SUBSCRIBE' AND NOT EXISTS
            (SELECT 1 FROM subscription s WHERE s.feed_id = v.feed_id AND s.protocol = 'WEBSUB'
               AND s.callback = v.callback)
            AND (:topic IS NULL OR v.topic = :topic)
            AND (:callback IS NULL OR v.callback = :callback)
            AND (:text IS NULL OR lower(v.callback) LIKE lower(:text) ESCAPE '!')
          """,
          "v.id");

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
          // Read first: a request that is confirmed between the two reads is in both, not in none.
          long afterPending = after != null && after.pending() ? after.id() : 0;
          List<Entry> pending =
              mayBePending(filter) ? pending(handle, filter, afterPending, limit) : List.of();
          List<Entry> entries = new ArrayList<>();
          if (mayBeActive(filter.state()) && (after == null || !after.pending())) {
            entries.addAll(active(handle, filter, after == null ? 0 : after.id(), limit));
          }
          Set<List<String>> active =
              entries.stream()
                  .filter(entry -> entry.protocol == Protocol.WEBSUB)
                  .map(Entry::topicAndCallback)
                  .collect(Collectors.toSet());
          pending.stream()
              .filter(entry -> !active.contains(entry.topicAndCallback()))
              .limit(limit - entries.size())
              .forEach(entries::add);
          return entries;
        });
  }

  /** How many entries match. */
  public long count(Filter filter) {
    return database.read(handle -> active(handle, filter) + pending(handle, filter));
  }

  private static long active(Handle handle, Filter filter) {
    return mayBeActive(filter.state())
        ? count(handle, filter, source(filter).count(conditions(filter)))
        : 0;
  }

  private static long pending(Handle handle, Filter filter) {
    return mayBePending(filter) ? count(handle, filter, PENDING.count("")) : 0;
  }

  private static long count(Handle handle, Filter filter, String sql) {
    return bound(handle, sql, filter, 0).mapTo(Long.class).one();
  }

  /**
   * The key behind which the list of matching entries goes on after some of them.
   *
   * @param skip entries to pass over
   * @return empty if no more entries than these match
   */
  public Optional<Key> behind(Filter filter, long skip) {
    return database.read(
        handle -> {
          long active = active(handle, filter);
          boolean pending = skip >= active;
          if (pending && !mayBePending(filter)) {
            return Optional.empty();
          }
          return bound(
                  handle,
                  pending ? PENDING.nth("") : source(filter).nth(conditions(filter)),
                  filter,
                  0)
              .bind("skip", pending ? skip - active : skip)
              .mapTo(Long.class)
              .findOne()
              .map(id -> new Key(pending, id - 1));
        });
  }

  private static boolean mayBeActive(@Nullable SubscriptionState wanted) {
    return wanted == null
        || switch (wanted) {
          case ACTIVE, WAITING, LAGGING -> true;
          case PENDING, DENIED, UNCONFIRMED, EXPIRED, ENDED, FAILED -> false;
        };
  }

  private static boolean mayBePending(Filter filter) {
    return (filter.state() == null || filter.state() == SubscriptionState.PENDING)
        && filter.protocol() != Protocol.RSSCLOUD;
  }

  private static EntrySource source(Filter filter) {
    return filter.state() == SubscriptionState.LAGGING ? LAGGING : ACTIVE;
  }

  private static List<Entry> active(Handle handle, Filter filter, long after, int limit) {
    return bound(handle, source(filter).list(conditions(filter)), filter, after)
        .bind("limit", limit)
        .map((row, context) -> active(row))
        .list();
  }

  /** The conditions of the given filter parts alone, so that SQLite can use an index for them. */
  private static String conditions(Filter filter) {
    StringBuilder sql = new StringBuilder();
    if (filter.topic() != null) {
      sql.append(" AND s.feed_id = (SELECT id FROM feed WHERE topic = :topic)");
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
    if (filter.state() != null && filter.state() != SubscriptionState.LAGGING) {
      sql.append(" AND s.id NOT IN (SELECT l.subscription_id FROM laggard l WHERE ")
          .append(Rows.LAGS)
          .append(
              filter.state() == SubscriptionState.WAITING
                  ? ") AND s.feed_id IN"
                  : ") AND s.feed_id NOT IN")
          .append(" (SELECT id FROM feed WHERE first_fetch_at IS NULL)");
    }
    return sql.toString();
  }

  private static List<Entry> pending(Handle handle, Filter filter, long after, int limit) {
    return bound(handle, PENDING.list(""), filter, after)
        .bind("limit", limit)
        .map((row, context) -> pending(row))
        .list();
  }

  private static Query bound(Handle handle, String sql, Filter filter, long after) {
    return handle
        .createQuery(sql)
        .configure(SqlStatements.class, config -> config.setUnusedBindingAllowed(true))
        .bind("after", after)
        .bind("topic", filter.topic())
        .bind("protocol", filter.protocol() == null ? null : filter.protocol().name())
        .bind("callback", filter.callback())
        .bind("text", Rows.containing(filter.text()));
  }

  private static Entry active(ResultSet row) throws SQLException {
    String state = row.getString("state");
    boolean lags = state != null;
    Terms terms = Json.read(row.getString("terms"), Terms.class);
    boolean isUnderWay = lags && Laggard.State.valueOf(state) == Laggard.State.IN_FLIGHT;
    return new Entry(
        new Key(false, row.getLong("id")),
        Protocol.valueOf(row.getString("protocol")),
        row.getString("topic"),
        row.getString("callback"),
        terms.format(),
        terms.wished(),
        state(lags, Rows.instantOrNull(row, "first_fetch_at") != null),
        Rows.instant(row, "lease_ends_at"),
        Rows.instant(row, "created_at"),
        Rows.instantOrNull(row, "digest_due"),
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
    Terms terms = Json.read(row.getString("terms"), Terms.class);
    return new Entry(
        new Key(true, row.getLong("id")),
        Protocol.WEBSUB,
        row.getString("topic"),
        row.getString("callback"),
        terms.format(),
        terms.wished(),
        SubscriptionState.PENDING,
        null,
        Rows.instant(row, "requested_at"),
        null,
        null);
  }

  public Optional<Entry> find(Key key) {
    return database.read(
        handle ->
            bound(handle, (key.pending() ? PENDING : ACTIVE).find(), Filter.ALL, 0)
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
  public List<EventRecipients.Recipient> recipients(long feedId, long seq, long after, int limit) {
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
   * @param nextDigestAt absent unless it wants digests
   * @param behind absent unless it lags
   */
  public record Entry(
      Key key,
      Protocol protocol,
      String topic,
      String callback,
      Format format,
      DocumentWishes wishes,
      SubscriptionState state,
      @Nullable Instant leaseEndsAt,
      Instant createdAt,
      @Nullable Instant nextDigestAt,
      @Nullable Behind behind) {

    private List<String> topicAndCallback() {
      return List.of(topic, callback);
    }
  }
}
