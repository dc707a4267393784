package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Subscribers and those who wait to become one. */
public interface Subscriptions {

  /**
   * Records a WebSub request and, for a subscription, follows its topic. It takes the place of an
   * older request for the same topic and callback (rule L7).
   *
   * @param sponsor who asks. It vouches for its own subscriptions alone: where the callback has one
   *     already that was made otherwise, or has none to be ended, the callback is asked
   */
  CompletableFuture<Verification> request(
      Verification.Mode mode,
      String topic,
      String callback,
      Terms terms,
      @Nullable String verifyToken,
      Sponsor sponsor,
      Instant now);

  /** The same of somebody without credentials. */
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
   * @param passedHosts whose callbacks are left out, as {@link CallbackHost} names them
   */
  List<Pending> due(Instant now, Set<String> passedHosts, int limit);

  /** When the next request is due that waits only for a time after this one. */
  Optional<Instant> nextDue(Instant now);

  /**
   * Carries out a request that its callback confirmed: begins the subscription at the feed's newest
   * event, or renews it with its id and cursor kept, or ends it.
   *
   * @return whether the request was still the newest for its topic and callback; if not, nothing
   *     changed
   */
  CompletableFuture<Boolean> confirm(Verification verification, Instant now);

  /** Tries a request again later. */
  CompletableFuture<Void> postpone(Verification verification, Instant nextAttemptAt);

  /**
   * Forgets a request; an existing subscription stays as it is (rule H5).
   *
   * @param as what becomes of the one that was asked for, if there is none
   * @param why in a few words, for people
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

  /** Those of some ids that are active, in the order of their ids. */
  List<Subscription> byIds(Collection<Long> ids);

  /** The active subscriptions of a feed in id order, after the given id. */
  List<Subscription> ofFeed(long feedId, long afterId, int limit);

  /** How many are told of a feed, as origins are told: for how many its subscribers stand. */
  long readers(long feedId);

  /** A subscriber says that it stands for so many people; kept by renewals. */
  CompletableFuture<Void> standsFor(long id, int readers);

  /** Whether another gateway is a subscriber of the feed, or has asked to be one. */
  boolean anyOf(PeerGateway peer, long feedId);

  /** Whether a subscriber of the feed is sent its whole bytes. */
  boolean anyRaw(long feedId);

  /**
   * Ends a subscription whose callback wants no more of it; its laggard row goes with it.
   *
   * @return whether it was active
   */
  CompletableFuture<Boolean> end(long id, Instant now);

  /**
   * Ends a WebSub subscription by the gateway's own will; its callback is told (rule H10), unless a
   * newer request of it waits.
   *
   * @return whether it was active
   */
  CompletableFuture<Boolean> deny(long id, String reason, Instant now);

  /**
   * Ends subscriptions to a feed by the gateway's own will, and requests for them that wait, at
   * most so many; those by WebSub are told, as by {@link #deny}. Repeated until it says fewer than
   * the limit, it leaves none.
   *
   * @return how many it has ended
   */
  CompletableFuture<Integer> dismiss(long feedId, String reason, Instant now, int limit);

  /**
   * Requests anew, as their subscribers did, the subscriptions of PuSH 0.3 whose time for that has
   * come (rule H19), at most so many: three quarters into the lease, and again when half of the
   * rest is over, and once more. Says how many.
   */
  CompletableFuture<Integer> refresh(Instant now, int limit);

  /** When the next of them is to be requested. */
  Optional<Instant> nextRefresh();

  /** Ends subscriptions whose lease is over, at most so many; says how many. */
  CompletableFuture<Integer> expire(Instant now, int limit);

  /** A delivery succeeded: its errors do not count any more. */
  CompletableFuture<Void> clearErrors(long id);

  /**
   * Ends subscriptions whose errors are to end them by now (see {@link Laggards#passOver}), at most
   * so many.
   *
   * @return their ids
   */
  CompletableFuture<List<Long>> endFailed(Instant now, int limit);

  /** When the next lease ends. */
  Optional<Instant> nextExpiry();

  /**
   * A request that can be verified.
   *
   * @param feed absent for an unsubscription from what is not followed
   */
  record Pending(Verification verification, @Nullable FollowedFeed feed) {}
}
