package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Format;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.PeerGateway;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Sponsor;
import io.feedbridge.gateway.store.Subscription;
import io.feedbridge.gateway.store.SubscriptionState;
import io.feedbridge.gateway.store.Subscriptions;
import io.feedbridge.gateway.store.Terms;
import io.feedbridge.gateway.store.Verification;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Subscriptions and requests for them in SQLite. */
final class SqliteSubscriptions implements Subscriptions {

  private final SqliteDatabase database;
  private final Transitions transitions;

  SqliteSubscriptions(SqliteDatabase database, Transitions transitions) {
    this.database = database;
    this.transitions = transitions;
  }

  /** A transaction that makes steps of subscriptions. */
  private interface Step<T> {
    T run(Handle handle, Set<Effect> effects, Transitions.Told told);
  }

  private <T> CompletableFuture<T> step(Step<T> step) {
    Transitions.Told told = new Transitions.Told();
    return database
        .write((handle, effects) -> step.run(handle, effects, told))
        .thenApply(
            done -> {
              transitions.tell(told);
              return done;
            });
  }

  @Override
  public CompletableFuture<Verification> request(
      Verification.Mode mode,
      String topic,
      String callback,
      Terms terms,
      @Nullable String verifyToken,
      Sponsor sponsor,
      Instant now) {
    return step(
        (handle, effects, told) -> {
          Long feedId =
              mode == Verification.Mode.SUBSCRIBE
                  ? Long.valueOf(SqliteFeeds.follow(handle, effects, topic, now).id())
                  : feedId(handle, topic);
          Verification request =
              SqliteRequests.add(
                  handle,
                  effects,
                  feedId,
                  mode,
                  topic,
                  callback,
                  terms,
                  verifyToken,
                  sponsor.login(),
                  SqliteRequests.isVouched(handle, sponsor, mode, feedId, callback),
                  now);
          if (feedId != null && mode == Verification.Mode.UNSUBSCRIBE) {
            SqliteFeeds.unfollowIfUnused(handle, effects, feedId);
          }
          if (mode == Verification.Mode.SUBSCRIBE
              && !SqliteRequests.hasSubscription(handle, request)) {
            told.add(SubscriptionState.PENDING, topic, callback, "asked for");
          }
          return request;
        });
  }

  private static @Nullable Long feedId(Handle handle, String topic) {
    return handle
        .createQuery("SELECT id FROM feed WHERE topic = :topic")
        .bind("topic", topic)
        .mapTo(Long.class)
        .findOne()
        .orElse(null);
  }

  private static String topic(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT topic FROM feed WHERE id = :id")
        .bind("id", feedId)
        .mapTo(String.class)
        .one();
  }

  @Override
  public List<Pending> due(Instant now, Set<String> passedHosts, int limit) {
    return database.read(handle -> SqliteRequests.due(handle, now, passedHosts, limit));
  }

  @Override
  public Optional<Instant> nextDue(Instant now) {
    return database.read(handle -> SqliteRequests.nextDue(handle, now));
  }

  @Override
  public CompletableFuture<Boolean> confirm(Verification verification, Instant now) {
    return step(
        (handle, effects, told) -> {
          Optional<String> owner = SqliteRequests.ownerOf(handle, verification);
          if (!SqliteRequests.forget(handle, verification)) {
            return false;
          }
          Long feedId = verification.feedId();
          if (feedId == null) {
            return true;
          }
          switch (verification.mode()) {
            case SUBSCRIBE -> {
              boolean renewal =
                  activate(
                      handle,
                      feedId,
                      Protocol.WEBSUB,
                      verification.callback(),
                      verification.terms(),
                      verification.verifyToken(),
                      owner.orElse(null),
                      now);
              told.add(
                  SubscriptionState.ACTIVE,
                  verification.topic(),
                  verification.callback(),
                  renewal ? "renewed" : "confirmed");
            }
            case DENIED -> throw new IllegalArgumentException("a denial is not confirmed");
            case UNSUBSCRIBE -> unsubscribe(handle, effects, feedId, verification, told);
          }
          return true;
        });
  }

  private static void unsubscribe(
      Handle handle,
      Set<Effect> effects,
      long feedId,
      Verification verification,
      Transitions.Told told) {
    int ended =
        handle
            .createUpdate(
                """
                DELETE FROM subscription
                WHERE feed_id = :feed AND protocol = :protocol AND callback = :callback
                """)
            .bind("feed", feedId)
            .bind("protocol", Protocol.WEBSUB.name())
            .bind("callback", verification.callback())
            .execute();
    if (ended > 0) {
      told.add(
          SubscriptionState.ENDED, verification.topic(), verification.callback(), "unsubscribed");
    }
    SqliteFeeds.unfollowIfUnused(handle, effects, feedId);
  }

  /**
   * Begins at the feed's newest event (rule L6), or renews with id and start kept (rule L7).
   *
   * @return whether it is a renewal
   */
  private static boolean activate(
      Handle handle,
      long feedId,
      Protocol protocol,
      String callback,
      Terms terms,
      @Nullable String verifyToken,
      @Nullable String owner,
      Instant now) {
    boolean renewal =
        handle
            .createQuery(
                """
                SELECT EXISTS (SELECT 1 FROM subscription
                  WHERE feed_id = :feed AND protocol = :protocol AND callback = :callback)
                """)
            .bind("feed", feedId)
            .bind("protocol", protocol.name())
            .bind("callback", callback)
            .mapTo(Boolean.class)
            .one();
    Sealing sealing = Sealing.of(handle);
    String topic = topic(handle, feedId);
    handle
        .createUpdate(
            """
            INSERT INTO subscription
              (feed_id, protocol, callback, terms, raw, start, lease_ends_at, verify_token,
               refresh_at, owner, created_at)
            SELECT id, :protocol, :callback, :terms, :raw, head, :ends, :token, :refresh, :owner,
              :now
            FROM feed WHERE id = :feed
            ON CONFLICT (feed_id, protocol, callback) DO UPDATE SET
              terms = excluded.terms, raw = excluded.raw, lease_ends_at = excluded.lease_ends_at,
              verify_token = excluded.verify_token, refresh_at = excluded.refresh_at,
              owner = COALESCE(excluded.owner, owner),
              errors = 0, remove_at = NULL
            """)
        .bind("feed", feedId)
        .bind("protocol", protocol.name())
        .bind("callback", callback)
        .bind("terms", Json.text(sealing.seal(terms, topic, callback)))
        .bind("raw", terms.format() == Format.RAW)
        .bind("ends", now.plus(terms.lease()).toEpochMilli())
        .bind("token", sealing.sealToken(verifyToken, topic, callback))
        .bind("owner", owner)
        .bind("refresh", Rows.millis(SqliteRequests.firstRefresh(terms, now)))
        .bind("now", now.toEpochMilli())
        .execute();
    return renewal;
  }

  @Override
  public CompletableFuture<Void> postpone(Verification verification, Instant nextAttemptAt) {
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate(
                  """
                  UPDATE verification SET attempts = attempts + 1, next_attempt_at = :next
                  WHERE id = :id
                  """)
              .bind("next", nextAttemptAt.toEpochMilli())
              .bind("id", verification.id())
              .execute();
          effects.add(Effect.VERIFICATION);
        });
  }

  @Override
  public CompletableFuture<Void> drop(
      Verification verification, SubscriptionState as, String why, Instant now) {
    return step((handle, effects, told) -> {
          boolean there = SqliteRequests.refuse(handle, verification, as, why, told);
          if (there && verification.feedId() != null) {
            SqliteFeeds.unfollowIfUnused(handle, effects, verification.feedId());
          }
          return there;
        })
        .thenAccept(done -> {});
  }

  @Override
  public CompletableFuture<Subscription> register(
      long feedId, String callback, Terms terms, Instant now) {
    return step(
        (handle, effects, told) -> {
          boolean renewal =
              activate(handle, feedId, Protocol.RSSCLOUD, callback, terms, null, null, now);
          told.add(
              handle,
              SubscriptionState.ACTIVE,
              feedId,
              callback,
              renewal ? "renewed" : "registered");
          // The feed may have been let go of while the handler was tested.
          SqliteFeeds.resume(handle, effects, feedId, now);
          return handle
              .createQuery(
                  "SELECT "
                      + Rows.SUBSCRIPTION
                      + """
                       FROM subscription s
                      WHERE s.feed_id = :feed AND s.protocol = :protocol AND s.callback = :callback
                      """)
              .bind("feed", feedId)
              .bind("protocol", Protocol.RSSCLOUD.name())
              .bind("callback", callback)
              .map((row, context) -> Rows.subscription(row, context))
              .one();
        });
  }

  @Override
  public Optional<Subscription> byId(long id) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT " + Rows.SUBSCRIPTION + " FROM subscription s WHERE s.id = :id")
                .bind("id", id)
                .map((row, context) -> Rows.subscription(row, context))
                .findOne());
  }

  @Override
  public List<Subscription> byIds(Collection<Long> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT "
                        + Rows.SUBSCRIPTION
                        + """
                         FROM subscription s WHERE s.id IN (SELECT value FROM json_each(:ids))
                        ORDER BY s.id
                        """)
                .bind("ids", Json.text(ids))
                .map((row, context) -> Rows.subscription(row, context))
                .list());
  }

  @Override
  public List<Subscription> ofFeed(long feedId, long afterId, int limit) {
    return database.read(
        handle ->
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
                .bind("limit", limit)
                .map((row, context) -> Rows.subscription(row, context))
                .list());
  }

  @Override
  public long readers(long feedId) {
    return database.read(
        handle ->
            handle
                // Of a million that stand for one each, an index alone is read.
                .createQuery(
                    """
                    SELECT (SELECT COUNT(*) FROM subscription WHERE feed_id = :feed)
                      + (SELECT COALESCE(SUM(readers - 1), 0) FROM subscription
                         WHERE feed_id = :feed AND readers <> 1)
                      + (SELECT COUNT(*) FROM webhook_topic WHERE feed_id = :feed)
                    """)
                .bind("feed", feedId)
                .mapTo(Long.class)
                .one());
  }

  @Override
  public boolean anyOf(PeerGateway peer, long feedId) {
    String from = peer.callbacks();
    return database.read(
        handle ->
            handle
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
                // The character after the slash at its end: an index has them side by side.
                .bind("to", from.substring(0, from.length() - 1) + (char) ('/' + 1))
                .mapTo(Boolean.class)
                .one());
  }

  @Override
  public CompletableFuture<Void> standsFor(long id, int readers) {
    return database.change(
        (handle, effects) ->
            handle
                .createUpdate("UPDATE subscription SET readers = :readers WHERE id = :id")
                .bind("readers", readers)
                .bind("id", id)
                .execute());
  }

  @Override
  public boolean anyRaw(long feedId) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT EXISTS (SELECT 1 FROM subscription WHERE feed_id = :feed AND raw = 1)")
                .bind("feed", feedId)
                .mapTo(Boolean.class)
                .one());
  }

  @Override
  public CompletableFuture<Boolean> end(long id, Instant now) {
    return step(
        (handle, effects, told) ->
            end(handle, effects, id, SubscriptionState.ENDED, "its callback is gone", told));
  }

  private static boolean end(
      Handle handle,
      Set<Effect> effects,
      long id,
      SubscriptionState as,
      String why,
      Transitions.Told told) {
    record Ended(long feedId, String callback) {}
    Optional<Ended> ended =
        handle
            .createQuery("DELETE FROM subscription WHERE id = :id RETURNING feed_id, callback")
            .bind("id", id)
            .map((row, context) -> new Ended(row.getLong("feed_id"), row.getString("callback")))
            .findOne();
    ended.ifPresent(
        one -> {
          told.add(handle, as, one.feedId, one.callback, why);
          SqliteFeeds.unfollowIfUnused(handle, effects, one.feedId);
        });
    return ended.isPresent();
  }

  @Override
  public CompletableFuture<Boolean> deny(long id, String reason, Instant now) {
    return step(
        (handle, effects, told) -> {
          SqliteRequests.deny(handle, effects, id, reason, now);
          return end(handle, effects, id, SubscriptionState.DENIED, reason, told);
        });
  }

  @Override
  public CompletableFuture<Integer> dismiss(long feedId, String reason, Instant now, int limit) {
    return step(
        (handle, effects, told) ->
            SqliteDismissals.some(handle, effects, feedId, reason, now, limit, told));
  }

  @Override
  public CompletableFuture<Integer> refresh(Instant now, int limit) {
    return database.write((handle, effects) -> SqliteRequests.refresh(handle, effects, now, limit));
  }

  @Override
  public Optional<Instant> nextRefresh() {
    return database.read(SqliteRequests::nextRefresh);
  }

  @Override
  public CompletableFuture<Integer> expire(Instant now, int limit) {
    return step(
        (handle, effects, told) -> {
          List<Long> over =
              handle
                  .createQuery(
                      """
                      SELECT id FROM subscription WHERE lease_ends_at <= :now
                      ORDER BY lease_ends_at LIMIT :limit
                      """)
                  .bind("now", now.toEpochMilli())
                  .bind("limit", limit)
                  .mapTo(Long.class)
                  .list();
          over.forEach(
              id ->
                  end(
                      handle,
                      effects,
                      id,
                      SubscriptionState.EXPIRED,
                      "it was not renewed in time",
                      told));
          return over.size();
        });
  }

  @Override
  public CompletableFuture<Void> clearErrors(long id) {
    return database.change((handle, effects) -> SqliteErrors.clear(handle, id));
  }

  @Override
  public CompletableFuture<List<Long>> endFailed(Instant now, int limit) {
    return step(
        (handle, effects, told) -> {
          List<Long> failed = SqliteErrors.due(handle, now, limit);
          failed.forEach(
              id ->
                  end(
                      handle,
                      effects,
                      id,
                      SubscriptionState.FAILED,
                      "too many notifications in a row did not reach it",
                      told));
          return failed;
        });
  }

  @Override
  public Optional<Instant> nextExpiry() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT lease_ends_at AS at FROM subscription ORDER BY 1 LIMIT 1")
                .map((row, context) -> Rows.instant(row, "at"))
                .findOne());
  }
}
