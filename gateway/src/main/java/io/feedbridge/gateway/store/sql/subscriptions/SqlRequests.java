package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.database.DamagedRows;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Subscriptions.Pending;
import io.feedbridge.gateway.store.subscriptions.Verification;
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
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** The requests that wait for the callbacks of WebSub subscribers as SQL. */
final class SqlRequests {

  /** A subscription only once its topic was tried. */
  private static final String REQUESTS =
      """
      SELECT v.*, EXISTS (SELECT 1 FROM subscription s
        WHERE s.feed_id = v.feed_id AND s.protocol = 'WEBSUB' AND s.callback = v.callback)
        AS renewal
      FROM verification v LEFT JOIN feed f ON f.id = v.feed_id
      WHERE v.next_attempt_at <= :now
        AND v.host NOT IN (SELECT value FROM json_each(:hosts))
        AND (v.host NOT IN (SELECT value FROM json_each(:renewals_only))
            AND v.host || ' ' || COALESCE(v.caller, '')
              NOT IN (SELECT value FROM json_each(:renewals_only))
          OR EXISTS (SELECT 1 FROM subscription s
            WHERE s.feed_id = v.feed_id AND s.protocol = 'WEBSUB' AND s.callback = v.callback))
        AND (v.mode = 'UNSUBSCRIBE' OR v.mode = 'SUBSCRIBE'
          AND (f.tried = 1 OR (f.first_fetch_at IS NOT NULL AND f.state <> 'GONE')))
      ORDER BY v.next_attempt_at LIMIT :limit
      """;

  /** Where a callback waits to be told something else already. */
  static final String OR_TELL =
      """
      ON CONFLICT (topic, callback) DO UPDATE SET
        feed_id = NULL, reason = excluded.reason, attempts = 0,
        next_attempt_at = excluded.next_attempt_at
        WHERE verification.mode = 'DENIED'
      """;

  private static final String DENIALS =
      """
      SELECT v.*, FALSE AS renewal FROM verification v
      WHERE mode = 'DENIED' AND next_attempt_at <= :now
        AND host NOT IN (SELECT value FROM json_each(:hosts))
        AND host NOT IN (SELECT value FROM json_each(:renewals_only))
      ORDER BY attempts, next_attempt_at LIMIT :limit
      """;

  private SqlRequests() {}

  /**
   * Puts a request in the place of an older one for the same topic and callback (rule L7).
   *
   * @param request its id is not read
   * @param sponsor whose request it is
   * @return the request with its id
   */
  static Verification add(
      Handle handle, Set<Effect> effects, Verification request, Sponsor sponsor) {
    String topic = request.topic();
    String callback = request.callback();
    handle
        .createUpdate("DELETE FROM verification WHERE topic = :topic AND callback = :callback")
        .bind("topic", topic)
        .bind("callback", callback)
        .execute();
    effects.add(Effect.VERIFICATION);
    Sealing sealing = Sealing.of(handle);
    return handle
        .createQuery(
            """
            INSERT INTO verification
              (feed_id, topic, callback, mode, terms, verify_token, requested_at, attempts,
               next_attempt_at, owner, vouched, caller)
            VALUES (:feed, :topic, :callback, :mode, :terms, :token, :now, 0, :now, :owner,
               :vouched, :caller)
            RETURNING *
            """)
        .bind("feed", request.feedId())
        .bind("topic", topic)
        .bind("callback", callback)
        .bind("mode", request.mode().name())
        .bind("terms", sealing.seal(request.terms(), topic, callback).text())
        .bind("token", sealing.sealToken(request.verifyToken(), topic, callback))
        .bind("owner", sponsor.login())
        .bind("caller", sponsor.caller())
        .bind("vouched", request.vouched())
        .bind("now", request.requestedAt().toEpochMilli())
        .map((row, context) -> Rows.verification(row, context))
        .one();
  }

  /**
   * The requests that are due. Denials come last: no caller waits for them.
   *
   * @param damaged receives the rows that cannot be read, or of which the feed cannot be read
   */
  static List<Pending> due(
      Handle handle,
      Instant now,
      Set<String> passedHosts,
      Set<String> renewalsOnly,
      int limit,
      Collection<Long> damaged) {
    List<Pending> due = new ArrayList<>();
    for (String sql : List.of(REQUESTS, DENIALS)) {
      Query query =
          handle
              .createQuery(sql)
              .bind("now", now.toEpochMilli())
              .bind("hosts", Json.text(passedHosts))
              .bind("renewals_only", Json.text(renewalsOnly))
              .bind("limit", limit - due.size());
      due.addAll(DamagedRows.list(query, "verification", SqlRequests::withoutFeed, damaged));
    }
    Map<Long, Optional<FollowedFeed>> feeds = new HashMap<>();
    List<Pending> pending = new ArrayList<>();
    for (Pending one : due) {
      Long feedId = one.verification().feedId();
      if (feedId == null) {
        pending.add(one);
        continue;
      }
      Optional<FollowedFeed> feed =
          feeds.computeIfAbsent(feedId, id -> feed(handle, id).stream().findFirst());
      feed.ifPresentOrElse(
          found -> pending.add(new Pending(one.verification(), found, one.renewal(), one.caller())),
          () -> damaged.add(one.verification().id()));
    }
    return pending;
  }

  private static Pending withoutFeed(ResultSet row, StatementContext context) throws SQLException {
    return new Pending(
        Rows.verification(row, context), null, row.getBoolean("renewal"), row.getString("caller"));
  }

  private static List<FollowedFeed> feed(Handle handle, long id) {
    return DamagedRows.list(
        handle.createQuery("SELECT * FROM feed WHERE id = :id").bind("id", id), "feed", Rows::feed);
  }

  static Optional<Instant> nextDue(Handle handle, Instant now) {
    return handle
        .createQuery(
            """
            SELECT v.next_attempt_at AS at
            FROM verification v LEFT JOIN feed f ON f.id = v.feed_id
            WHERE v.next_attempt_at > :now
              AND (v.mode <> 'SUBSCRIBE' OR f.tried = 1
                OR (f.first_fetch_at IS NOT NULL AND f.state <> 'GONE'))
            ORDER BY v.next_attempt_at LIMIT 1
            """)
        .bind("now", now.toEpochMilli())
        .map((row, context) -> Rows.instant(row, "at"))
        .findOne();
  }

  /**
   * Whether a sponsor can stand in for a callback: for a new subscription of its own, and for the
   * end of an existing one.
   */
  static boolean isVouched(
      Handle handle,
      Sponsor sponsor,
      Verification.Mode mode,
      @Nullable Long feedId,
      String callback) {
    if (!sponsor.vouches() || sponsor.isOperator()) {
      return sponsor.vouches();
    }
    Optional<Boolean> own =
        handle
            .createQuery(
                """
                SELECT owner IS NOT DISTINCT FROM :owner FROM subscription
                WHERE feed_id = :feed AND protocol = 'WEBSUB' AND callback = :callback
                """)
            .bind("owner", sponsor.login())
            .bind("feed", feedId)
            .bind("callback", callback)
            .mapTo(Boolean.class)
            .findOne();
    return own.orElse(mode == Verification.Mode.SUBSCRIBE);
  }

  /** Whether the callback of a request has the requested subscription. */
  static boolean hasSubscription(Handle handle, Verification request) {
    return subscribed(handle, request).isPresent();
  }

  /** The state of the subscription of a request. */
  private static Optional<SubscriptionState> subscribed(Handle handle, Verification request) {
    return handle
        .createQuery(
            """
            SELECT EXISTS (SELECT 1 FROM laggard l WHERE l.subscription_id = s.id AND %s)
            FROM subscription s
            WHERE s.feed_id = :feed AND s.protocol = 'WEBSUB' AND s.callback = :callback
            """
                .formatted(Rows.LAGS))
        .bind("feed", request.feedId())
        .bind("callback", request.callback())
        .mapTo(Boolean.class)
        .findOne()
        .map(lags -> lags ? SubscriptionState.LAGGING : SubscriptionState.ACTIVE);
  }

  /**
   * Forgets a request and reports that an existing subscription stays as it is (rule H5).
   *
   * @return whether it was there
   */
  static boolean refuse(
      Handle handle,
      Verification request,
      SubscriptionState as,
      String why,
      Transitions.Told told) {
    if (!forget(handle, request)) {
      return false;
    }
    if (request.mode() == Verification.Mode.DENIED) {
      return true;
    }
    boolean renewal = request.mode() == Verification.Mode.SUBSCRIBE;
    Optional<SubscriptionState> state = subscribed(handle, request);
    if (state.isPresent()) {
      told.refused(
          state.get(),
          request.topic(),
          request.callback(),
          (renewal ? "not renewed: " : "not ended: ") + why);
    } else if (renewal) {
      told.add(as, request.topic(), request.callback(), why);
    }
    return true;
  }

  /** The login whose credentials a request had; empty for a request without credentials. */
  static Optional<String> ownerOf(Handle handle, Verification request) {
    return handle
        .createQuery("SELECT owner FROM verification WHERE id = :id AND owner IS NOT NULL")
        .bind("id", request.id())
        .mapTo(String.class)
        .findOne();
  }

  /**
   * Removes a request; false if a newer request for the same topic and callback has replaced it
   * (rule L7).
   */
  static boolean forget(Handle handle, Verification request) {
    return handle
            .createUpdate("DELETE FROM verification WHERE id = :id")
            .bind("id", request.id())
            .execute()
        == 1;
  }

  /** Has the callback told why its subscription ends, unless a newer request of it waits. */
  static void deny(Handle handle, Set<Effect> effects, long id, String reason, Instant now) {
    handle
        .createUpdate(
            """
            INSERT INTO verification
              (topic, callback, mode, terms, requested_at, attempts, next_attempt_at, reason)
            SELECT f.topic, s.callback, :mode, s.terms, :now, 0, :now, :reason
            FROM subscription s JOIN feed f ON f.id = s.feed_id
            WHERE s.id = :id AND s.protocol = 'WEBSUB'
            """
                + OR_TELL)
        .bind("mode", Verification.Mode.DENIED.name())
        .bind("now", now.toEpochMilli())
        .bind("reason", reason)
        .bind("id", id)
        .execute();
    effects.add(Effect.VERIFICATION);
  }
}
