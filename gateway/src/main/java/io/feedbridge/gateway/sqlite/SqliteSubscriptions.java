package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Format;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.Protocol;
import io.feedbridge.gateway.store.Subscription;
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

  SqliteSubscriptions(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<Verification> request(
      Verification.Mode mode,
      String topic,
      String callback,
      Terms terms,
      @Nullable String verifyToken,
      Instant now) {
    return database.write(
        (handle, effects) -> {
          Long feedId =
              mode == Verification.Mode.SUBSCRIBE
                  ? Long.valueOf(SqliteFeeds.follow(handle, effects, topic, now).id())
                  : feedId(handle, topic);
          Verification request =
              SqliteRequests.add(
                  handle, effects, feedId, mode, topic, callback, terms, verifyToken, now);
          if (feedId != null && mode == Verification.Mode.UNSUBSCRIBE) {
            SqliteFeeds.unfollowIfUnused(handle, effects, feedId);
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
    return database.write(
        (handle, effects) -> {
          if (!forget(handle, verification)) {
            return false;
          }
          Long feedId = verification.feedId();
          if (feedId == null) {
            return true;
          }
          switch (verification.mode()) {
            case SUBSCRIBE ->
                activate(
                    handle,
                    effects,
                    feedId,
                    Protocol.WEBSUB,
                    verification.callback(),
                    verification.terms(),
                    verification.verifyToken(),
                    now);
            case DENIED -> throw new IllegalArgumentException("a denial is not confirmed");
            case UNSUBSCRIBE -> {
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
              effects.add(Effect.SUBSCRIPTION);
              SqliteFeeds.unfollowIfUnused(handle, effects, feedId);
            }
          }
          return true;
        });
  }

  /**
   * Whether the request was there: an older one of the same topic and callback is not (rule L7).
   */
  private static boolean forget(Handle handle, Verification verification) {
    return handle
            .createUpdate("DELETE FROM verification WHERE id = :id")
            .bind("id", verification.id())
            .execute()
        == 1;
  }

  /** Begins at the feed's newest event (rule L6), or renews with id and start kept (rule L7). */
  private static void activate(
      Handle handle,
      Set<Effect> effects,
      long feedId,
      Protocol protocol,
      String callback,
      Terms terms,
      @Nullable String verifyToken,
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
    if (renewal) {
      effects.add(Effect.SUBSCRIPTION);
    }
    handle
        .createUpdate(
            """
            INSERT INTO subscription
              (feed_id, protocol, callback, terms, raw, start, lease_ends_at, verify_token,
               refresh_at, created_at)
            SELECT id, :protocol, :callback, :terms, :raw, head, :ends, :token, :refresh, :now
            FROM feed WHERE id = :feed
            ON CONFLICT (feed_id, protocol, callback) DO UPDATE SET
              terms = excluded.terms, raw = excluded.raw, lease_ends_at = excluded.lease_ends_at,
              verify_token = excluded.verify_token, refresh_at = excluded.refresh_at,
              errors = 0, remove_at = NULL
            """)
        .bind("feed", feedId)
        .bind("protocol", protocol.name())
        .bind("callback", callback)
        .bind("terms", Json.text(terms))
        .bind("raw", terms.format() == Format.RAW)
        .bind("ends", now.plus(terms.lease()).toEpochMilli())
        .bind("token", verifyToken)
        .bind("refresh", Rows.millis(SqliteRequests.firstRefresh(terms, now)))
        .bind("now", now.toEpochMilli())
        .execute();
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
  public CompletableFuture<Void> drop(Verification verification, Instant now) {
    return database.change(
        (handle, effects) -> {
          if (forget(handle, verification) && verification.feedId() != null) {
            SqliteFeeds.unfollowIfUnused(handle, effects, verification.feedId());
          }
        });
  }

  @Override
  public CompletableFuture<Subscription> register(
      long feedId, String callback, Terms terms, Instant now) {
    return database.write(
        (handle, effects) -> {
          activate(handle, effects, feedId, Protocol.RSSCLOUD, callback, terms, null, now);
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
              .map((row, context) -> Rows.subscription(row))
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
                .map((row, context) -> Rows.subscription(row))
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
                    "SELECT " + Rows.SUBSCRIPTION + " FROM subscription s WHERE s.id IN (<ids>)")
                .bindList("ids", List.copyOf(ids))
                .map((row, context) -> Rows.subscription(row))
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
                .map((row, context) -> Rows.subscription(row))
                .list());
  }

  @Override
  public long readers(long feedId) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT (SELECT COUNT(*) FROM subscription WHERE feed_id = :feed)
                      + (SELECT COALESCE(SUM(people - 1), 0) FROM subscription
                         WHERE feed_id = :feed AND people <> 1)
                    """)
                .bind("feed", feedId)
                .mapTo(Long.class)
                .one());
  }

  @Override
  public CompletableFuture<Void> standsFor(long id, int people) {
    return database.change(
        (handle, effects) ->
            handle
                .createUpdate("UPDATE subscription SET people = :people WHERE id = :id")
                .bind("people", people)
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
    return database.write((handle, effects) -> end(handle, effects, id));
  }

  private static boolean end(Handle handle, Set<Effect> effects, long id) {
    Optional<Long> feedId =
        handle
            .createQuery("SELECT feed_id FROM subscription WHERE id = :id")
            .bind("id", id)
            .mapTo(Long.class)
            .findOne();
    if (feedId.isEmpty()) {
      return false;
    }
    handle.createUpdate("DELETE FROM subscription WHERE id = :id").bind("id", id).execute();
    effects.add(Effect.SUBSCRIPTION);
    SqliteFeeds.unfollowIfUnused(handle, effects, feedId.get());
    return true;
  }

  @Override
  public CompletableFuture<Boolean> deny(long id, String reason, Instant now) {
    return database.write(
        (handle, effects) -> {
          SqliteRequests.deny(handle, effects, id, reason, now);
          return end(handle, effects, id);
        });
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
  public CompletableFuture<Integer> expire(Instant now) {
    return database.write(
        (handle, effects) -> {
          List<Long> over =
              handle
                  .createQuery("SELECT id FROM subscription WHERE lease_ends_at <= :now")
                  .bind("now", now.toEpochMilli())
                  .mapTo(Long.class)
                  .list();
          over.forEach(id -> end(handle, effects, id));
          return over.size();
        });
  }

  @Override
  public CompletableFuture<Void> clearErrors(long id) {
    return database.change((handle, effects) -> SqliteErrors.clear(handle, id));
  }

  @Override
  public CompletableFuture<List<Long>> endFailed(Instant now, int limit) {
    return database.write(
        (handle, effects) -> {
          List<Long> failed = SqliteErrors.due(handle, now, limit);
          failed.forEach(id -> end(handle, effects, id));
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
