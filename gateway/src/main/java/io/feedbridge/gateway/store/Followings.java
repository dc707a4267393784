package io.feedbridge.gateway.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The gateway's own subscriptions at hubs and clouds. */
public interface Followings {

  /** Feeds whose way of following is to be chosen anew, with what they have now. */
  List<Choice> toChoose(int limit);

  /**
   * Writes a choice: followings to begin (their id is ignored), and others that are changed by it.
   * The feed wants choosing again if it changed since {@link #toChoose} read it.
   */
  CompletableFuture<Void> choose(Choice choice, List<Following> begun, List<Following> changed);

  List<Following> ofFeed(long feedId);

  /** The following behind a callback. */
  Optional<Following> byToken(String token);

  /** Followings whose next action is due, the longest due first. */
  List<Following> due(Instant now, int limit);

  Optional<Instant> nextDue();

  /**
   * Spreads the renewals that are due over the time to come, the lease that ends soonest first. Not
   * those whose lease would end within {@code margin}.
   *
   * @param perTick how many are to be due at once, and then again after each {@code tick}
   * @return how many renewals were given another time
   */
  CompletableFuture<Integer> spreadRenewals(
      Instant now, int perTick, Duration tick, Duration margin);

  /**
   * The gateway is reached under this URL from now on. If it was another one before, the callbacks
   * that endpoints were given lead nowhere: what is live is to be renewed at once.
   *
   * @return how many followings that are
   */
  CompletableFuture<Integer> reachedAt(String publicUrl, Instant now);

  /**
   * Replaces a following, provided that it is still in the state in which its caller saw it.
   *
   * @return whether it was
   */
  CompletableFuture<Boolean> move(Following.State from, Following to);

  /**
   * {@link #move} for a step that bears on the choice: if it is made, the way of following the feed
   * is to be chosen anew, in the same transaction.
   */
  CompletableFuture<Boolean> moveAndChoose(Following.State from, Following to);

  /**
   * {@link #moveAndChoose} for one that was found wanting: it counts against its endpoint, which
   * may be demoted for all its feeds.
   */
  CompletableFuture<Boolean> refuse(Following.State from, Following to, Instant now);

  /**
   * Puts another following in the place of one that was refused, unless that was changed meanwhile;
   * the choice is to be made anew.
   */
  CompletableFuture<Void> beginAnew(Following refused, Following fresh);

  /**
   * A hub has signed a delivery as it was agreed, or has sent one without a signature although one
   * was agreed. One that never signs is asked again at once, without a secret (rule S7): see {@link
   * Trust#neverSigns}.
   *
   * @return whether it is asked again
   */
  CompletableFuture<Boolean> delivered(long id, boolean signed, Instant now);

  /** Wants the way of following a feed chosen anew. */
  CompletableFuture<Void> chooseAgain(long feedId);

  /** Forgets a following that has ended. */
  CompletableFuture<Void> remove(long id);

  /**
   * A feed to choose for.
   *
   * @param revision tells whether the feed changed in the meantime
   */
  record Choice(FollowedFeed feed, long revision, List<Following> followings) {}
}
