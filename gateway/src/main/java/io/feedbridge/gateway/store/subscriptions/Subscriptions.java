package io.feedbridge.gateway.store.subscriptions;

import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Subscriptions, and requests that wait for verification. */
public interface Subscriptions {

  /**
   * Records a WebSub request and, for a subscription, follows its topic. It takes the place of an
   * older request for the same topic and callback (rule L7).
   *
   * @param sponsor the caller. A login vouches for its own subscriptions alone: the callback is
   *     asked where its existing subscription is not of that login, and where an unsubscription
   *     finds no subscription
   */
  CompletableFuture<Verification> request(
      Verification.Mode mode,
      String topic,
      String callback,
      Terms terms,
      @Nullable String verifyToken,
      Sponsor sponsor,
      Instant now);

  /** A request of a caller without credentials. */
  default CompletableFuture<Verification> request(
      Verification.Mode mode,
      String topic,
      String callback,
      Terms terms,
      @Nullable String verifyToken,
      Instant now) {
    return request(mode, topic, callback, terms, verifyToken, Sponsor.NOBODY, now);
  }

  /**
   * Requests that can be verified now: a subscription only once its feed's first fetch is recorded,
   * or has failed (rule L11).
   *
   * @param passedHosts hosts whose callbacks are left out, as {@link CallbackHost} names them
   * @param renewalsOnly hosts, and callers at hosts, of which only requests about active
   *     subscriptions are returned
   */
  List<Pending> due(Instant now, Set<String> passedHosts, Set<String> renewalsOnly, int limit);

  /** {@link #due(Instant, Set, Set, int)} with all requests of each host that is not passed. */
  default List<Pending> due(Instant now, Set<String> passedHosts, int limit) {
    return due(now, passedHosts, Set.of(), limit);
  }

  /** When the next request that waits for a later time is due. */
  Optional<Instant> nextDue(Instant now);

  /**
   * Carries out a request that its callback confirmed: begins the subscription at the feed's newest
   * event, or renews it with its id and cursor kept, or ends it.
   *
   * @return whether the request was still the newest for its topic and callback; if not, nothing
   *     changed. A request for a feed that has become private meanwhile is not either: a denial
   *     takes its place, unless it has the operator's credentials
   */
  CompletableFuture<Boolean> confirm(Verification verification, Instant now);

  /** Tries a request again later. */
  CompletableFuture<Void> postpone(Verification verification, Instant nextAttemptAt);

  /**
   * Forgets a request; an existing subscription stays as it is (rule H5).
   *
   * @param as the end state of the requested subscription, if it does not exist yet
   * @param why the reason in a few words, for operators
   */
  CompletableFuture<Void> drop(
      Verification verification, SubscriptionState as, String why, Instant now);

  /**
   * Begins or renews an rssCloud subscription whose handler passed its test.
   *
   * @param feedId of a feed with a baseline
   */
  CompletableFuture<Subscription> register(long feedId, String callback, Terms terms, Instant now);

  Optional<Subscription> byId(long id);

  /** Whether a callback has an active subscription to a topic, by whichever protocol. */
  boolean isActive(String topic, String callback);

  /** The active subscriptions among some ids, in the order of their ids. */
  List<Subscription> byIds(Collection<Long> ids);

  /** The active subscriptions of a feed in id order, after the given id. */
  List<Subscription> ofFeed(long feedId, long afterId, int limit);

  /**
   * The number of readers that the origin of a feed is told: its subscribers stand for that many.
   */
  long readers(long feedId);

  /** Records the number of readers that a subscriber stands for; renewals keep it. */
  CompletableFuture<Void> standsFor(long id, int readers);

  /**
   * The paths that subscribers of a feed named, subscribers that wait for their verification
   * included. A subscriber that is no gateway names none.
   */
  List<NamedPath> paths(long feedId);

  /** Whether another gateway is a subscriber of the feed, or has asked to be one. */
  boolean anyOf(PeerGateway peer, long feedId);

  /** Whether a subscriber of the feed is sent its whole bytes. */
  boolean anyRaw(long feedId);

  /**
   * Ends a subscription without a message to its callback; its laggard row goes with it.
   *
   * @param why the reason in a few words, for operators
   * @return whether it was active
   */
  CompletableFuture<Boolean> end(long id, String why, Instant now);

  /**
   * Ends the subscription of a callback by the gateway's own will, without a message to it.
   *
   * @param feedId null where the topic is not followed; then there is none
   * @param why the reason in a few words, for operators
   * @return whether there was a subscription
   */
  CompletableFuture<Boolean> end(
      @Nullable Long feedId, Protocol protocol, String callback, String why, Instant now);

  /**
   * Ends a subscription because of an answer of its callback. The answer counts for the
   * subscription as it was called: a subscription that was renewed since stays as it is.
   *
   * @param called as it was when its callback was called
   */
  CompletableFuture<Ending> endAsCalled(Subscription called, Instant now);

  /** The result of {@link #endAsCalled}. */
  enum Ending {
    /** It has ended. */
    ENDED,
    /** It was renewed since it was called and goes on. */
    RENEWED,
    /** It had ended before. */
    NOT_THERE
  }

  /**
   * Ends a WebSub subscription by the gateway's own will; its callback is told (rule H10), unless a
   * newer request of it waits.
   *
   * @return whether it was active
   */
  CompletableFuture<Boolean> deny(long id, String reason, Instant now);

  /**
   * Ends subscriptions to a feed by the gateway's own will, and waiting requests for them, up to a
   * limit. WebSub subscribers are told, as by {@link #deny}. No subscription is left once the
   * result is below the limit.
   *
   * @return how many it has ended
   */
  CompletableFuture<Integer> dismiss(long feedId, String reason, Instant now, int limit);

  /**
   * Requests subscriptions of PuSH 0.3 anew, as their subscribers did, when their time for that has
   * come (rule H19), up to a limit: three quarters into the lease, again when half of the rest is
   * over, and once more. Returns how many.
   */
  CompletableFuture<Integer> refresh(Instant now, int limit);

  /** When the next subscription is to be requested anew. */
  Optional<Instant> nextRefresh();

  /** Ends subscriptions whose lease is over, up to a limit; returns how many. */
  CompletableFuture<Integer> expire(Instant now, int limit);

  /** Records that a delivery succeeded: the errors of the subscription no longer count. */
  CompletableFuture<Void> clearErrors(long id);

  /**
   * Ends subscriptions whose errors are to end them by now (see {@link Laggards#passOver}), up to a
   * limit.
   *
   * @return their ids
   */
  CompletableFuture<List<Long>> endFailed(Instant now, int limit);

  /** When the next lease ends. */
  Optional<Instant> nextExpiry();

  /** The path that a subscriber named, and the callback of that subscriber. */
  record NamedPath(String callback, GatewayPath path) {}

  /**
   * A request that can be verified.
   *
   * @param feed absent for an unsubscription from a topic that is not followed
   * @param renewal whether it is about an active subscription
   * @param caller as the limits know it; absent for a caller without limits
   */
  record Pending(
      Verification verification,
      @Nullable FollowedFeed feed,
      boolean renewal,
      @Nullable String caller) {

    /**
     * The caller at the host, as {@link Subscriptions#due} passes over it; absent for no caller.
     */
    public Optional<String> callerAtHost() {
      return Optional.ofNullable(caller).map(known -> verification.host() + ' ' + known);
    }
  }
}
