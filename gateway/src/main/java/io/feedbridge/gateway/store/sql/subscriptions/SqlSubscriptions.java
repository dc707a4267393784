package io.feedbridge.gateway.store.sql.subscriptions;

import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.DueRows;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.feeds.FollowedFeeds;
import io.feedbridge.gateway.store.subscriptions.PeerGateway;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Sponsor;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Subscriptions and requests for them as SQL. */
public final class SqlSubscriptions implements Subscriptions {

  private final Database database;
  private final Transitions transitions;

  public SqlSubscriptions(Database database, Transitions transitions) {
    this.database = database;
    this.transitions = transitions;
  }

  private <T> CompletableFuture<T> step(Transitions.Step<T> step) {
    return transitions.step(database::write, step);
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
                  ? Long.valueOf(FollowedFeeds.follow(handle, effects, topic, now).id())
                  : feedId(handle, topic);
          Verification request =
              SqlRequests.add(
                  handle,
                  effects,
                  Verification.asked(
                      feedId,
                      topic,
                      callback,
                      mode,
                      terms,
                      verifyToken,
                      SqlRequests.isVouched(handle, sponsor, mode, feedId, callback),
                      now),
                  sponsor);
          if (feedId != null && mode == Verification.Mode.UNSUBSCRIBE) {
            FollowedFeeds.unfollowIfUnused(handle, effects, feedId);
          }
          if (mode == Verification.Mode.SUBSCRIBE
              && !SqlRequests.hasSubscription(handle, request)) {
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

  @Override
  public List<Pending> due(
      Instant now, Set<String> passedHosts, Set<String> renewalsOnly, int limit) {
    return new DueRows(database, "verification", "next_attempt_at")
        .read(
            now,
            (handle, damaged) ->
                SqlRequests.due(handle, now, passedHosts, renewalsOnly, limit, damaged));
  }

  @Override
  public Optional<Instant> nextDue(Instant now) {
    return database.read(handle -> SqlRequests.nextDue(handle, now));
  }

  @Override
  public CompletableFuture<Boolean> confirm(Verification verification, Instant now) {
    return step(
        (handle, effects, told) -> {
          Optional<String> owner = SqlRequests.ownerOf(handle, verification);
          if (!SqlRequests.forget(handle, verification)) {
            return false;
          }
          Long feedId = verification.feedId();
          if (feedId == null) {
            return true;
          }
          switch (verification.mode()) {
            case SUBSCRIBE -> {
              if (Activation.isClosed(handle, feedId, owner.orElse(null))) {
                SqlDismissals.denied(
                    handle, effects, verification, PrivateFeeds.REFUSED, now, told);
                return false;
              }
              boolean renewal =
                  new Activation(
                          feedId,
                          Protocol.WEBSUB,
                          verification.callback(),
                          verification.terms(),
                          verification.verifyToken(),
                          owner.orElse(null))
                      .activate(handle, effects, now);
              told.add(
                  SubscriptionState.ACTIVE,
                  verification.topic(),
                  verification.callback(),
                  renewal ? "renewed" : "confirmed");
            }
            case DENIED -> throw new IllegalArgumentException("a denial is not confirmed");
            case UNSUBSCRIBE -> unsubscribe(handle, effects, feedId, verification, now, told);
          }
          return true;
        });
  }

  private static void unsubscribe(
      Handle handle,
      Set<Effect> effects,
      long feedId,
      Verification verification,
      Instant now,
      Transitions.Told told) {
    Endings.id(handle, feedId, Protocol.WEBSUB, verification.callback())
        .ifPresentOrElse(
            id ->
                Endings.end(
                    handle, effects, id, SubscriptionState.ENDED, "unsubscribed", now, told),
            () -> FollowedFeeds.unfollowIfUnused(handle, effects, feedId));
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
          boolean there = SqlRequests.refuse(handle, verification, as, why, told);
          if (there && verification.feedId() != null) {
            FollowedFeeds.unfollowIfUnused(handle, effects, verification.feedId());
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
              new Activation(feedId, Protocol.RSSCLOUD, callback, terms, null, null)
                  .activate(handle, effects, now);
          told.add(
              handle,
              SubscriptionState.ACTIVE,
              feedId,
              callback,
              renewal ? "renewed" : "registered");
          // The feed may have been released while the handler was tested.
          FollowedFeeds.resume(handle, effects, feedId, now);
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
    return database.read(handle -> SubscriptionReads.byId(handle, id));
  }

  @Override
  public boolean isActive(String topic, String callback) {
    return database.read(handle -> SubscriptionReads.isActive(handle, topic, callback));
  }

  @Override
  public List<Subscription> byIds(Collection<Long> ids) {
    return database.read(handle -> SubscriptionReads.byIds(handle, ids));
  }

  @Override
  public List<Subscription> ofFeed(long feedId, long afterId, int limit) {
    return database.read(handle -> SubscriptionReads.ofFeed(handle, feedId, afterId, limit));
  }

  @Override
  public long readers(long feedId) {
    return database.read(handle -> SubscriptionReads.readers(handle, feedId));
  }

  @Override
  public List<NamedPath> paths(long feedId) {
    return database.read(handle -> SubscriptionReads.paths(handle, feedId));
  }

  @Override
  public boolean anyOf(PeerGateway peer, long feedId) {
    return database.read(handle -> SubscriptionReads.anyOf(handle, peer, feedId));
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
    return database.read(handle -> SubscriptionReads.anyRaw(handle, feedId));
  }

  @Override
  public CompletableFuture<Boolean> end(long id, String why, Instant now) {
    return step(
        (handle, effects, told) ->
            Endings.end(handle, effects, id, SubscriptionState.ENDED, why, now, told));
  }

  @Override
  public CompletableFuture<Boolean> end(
      @Nullable Long feedId, Protocol protocol, String callback, String why, Instant now) {
    return step(
        (handle, effects, told) ->
            Endings.id(handle, feedId, protocol, callback)
                .filter(
                    id ->
                        Endings.end(handle, effects, id, SubscriptionState.DENIED, why, now, told))
                .isPresent());
  }

  @Override
  public CompletableFuture<Ending> endAsCalled(Subscription called, Instant now) {
    return step(
        (handle, effects, told) -> {
          Optional<Instant> lease =
              handle
                  .createQuery("SELECT lease_ends_at AS at FROM subscription WHERE id = :id")
                  .bind("id", called.id())
                  .map((row, context) -> Rows.instant(row, "at"))
                  .findOne();
          if (lease.isEmpty()) {
            return Ending.NOT_THERE;
          }
          if (!lease.get().equals(called.leaseEndsAt())) {
            return Ending.RENEWED;
          }
          Endings.end(
              handle, effects, called.id(), SubscriptionState.ENDED, "it answered 410", now, told);
          return Ending.ENDED;
        });
  }

  @Override
  public CompletableFuture<Boolean> deny(long id, String reason, Instant now) {
    return step(
        (handle, effects, told) -> {
          SqlRequests.deny(handle, effects, id, reason, now);
          return Endings.end(handle, effects, id, SubscriptionState.DENIED, reason, now, told);
        });
  }

  @Override
  public CompletableFuture<Integer> dismiss(long feedId, String reason, Instant now, int limit) {
    return step(
        (handle, effects, told) ->
            SqlDismissals.some(
                handle, effects, SqlDismissals.Whose.ALL, feedId, reason, now, limit, told));
  }

  @Override
  public CompletableFuture<Integer> refresh(Instant now, int limit) {
    return database.write((handle, effects) -> LeaseRefreshes.refresh(handle, effects, now, limit));
  }

  @Override
  public Optional<Instant> nextRefresh() {
    return database.read(LeaseRefreshes::next);
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
                  Endings.end(
                      handle,
                      effects,
                      id,
                      SubscriptionState.EXPIRED,
                      "it was not renewed in time",
                      now,
                      told));
          return over.size();
        });
  }

  @Override
  public CompletableFuture<Void> clearErrors(long id) {
    return database.change((handle, effects) -> SqlErrors.clear(handle, id));
  }

  @Override
  public CompletableFuture<List<Long>> endFailed(Instant now, int limit) {
    return step(
        (handle, effects, told) -> {
          List<Long> failed = SqlErrors.due(handle, now, limit);
          failed.forEach(
              id ->
                  Endings.end(
                      handle,
                      effects,
                      id,
                      SubscriptionState.FAILED,
                      "too many notifications in a row did not reach it",
                      now,
                      told));
          return failed;
        });
  }

  @Override
  public Optional<Instant> nextExpiry() {
    return database.read(SubscriptionReads::nextExpiry);
  }
}
