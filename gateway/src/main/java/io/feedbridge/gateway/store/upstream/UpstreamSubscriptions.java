package io.feedbridge.gateway.store.upstream;

import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.NamedHub;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The gateway's own subscriptions at hubs and clouds. */
public interface UpstreamSubscriptions {

  /** The reason of an upstream subscription whose lease ended while its hub paused. */
  String LAPSED = "the lease ended while the hub took no requests";

  /** Feeds whose transport is to be selected anew, with their present upstream subscriptions. */
  List<Choice> toChoose(int limit);

  /**
   * Writes a selection: upstream subscriptions to begin (their id is ignored), and upstream
   * subscriptions that it changes. The selection is made again if the feed changed since {@link
   * #toChoose} read it.
   */
  CompletableFuture<Void> choose(
      Choice choice, List<UpstreamSubscription> begun, List<UpstreamSubscription> changed);

  List<UpstreamSubscription> ofFeed(long feedId);

  /** The upstream subscription of a callback. */
  Optional<UpstreamSubscription> byToken(String token);

  /** The upstream subscription with a token, and the feed that it is for. */
  Optional<Called> called(String token);

  /**
   * An upstream subscription whose callback was called.
   *
   * @param feed the topic of its feed
   */
  record Called(UpstreamSubscription subscription, String feed) {}

  /**
   * The registrations at clouds that know a feed by another URL than its topic. Reads the whole
   * table.
   *
   * @return their tokens by that URL
   */
  Map<String, String> namesAtClouds(int limit);

  /**
   * Upstream subscriptions whose next action is due, the longest due first.
   *
   * @param passedHosts hosts whose endpoints are left out, as {@link CallbackHost} names them
   */
  List<UpstreamSubscription> due(Instant now, Set<String> passedHosts, int limit);

  /** {@link #due} at these hosts alone. */
  List<UpstreamSubscription> dueAt(Instant now, Set<String> hosts, int limit);

  /** When the first action is due that is not due yet. */
  Optional<Instant> nextDue(Instant now);

  /**
   * Spreads the renewals that are due over the time to come, the lease that ends soonest first.
   * Renewals whose lease would end within {@code margin} keep their times.
   *
   * @param perTick how many are to be due at once, and then again after each {@code tick}
   * @return how many renewals were given another time
   */
  CompletableFuture<Integer> spreadRenewals(
      Instant now, int perTick, Duration tick, Duration margin);

  /**
   * Ends the live subscriptions at hubs of these hosts whose lease has ended: they are to be
   * requested anew, without a refusal. The transports of their feeds are to be selected anew.
   *
   * @return how many there were
   */
  CompletableFuture<Integer> lapse(Set<String> hosts, Instant now);

  /**
   * Records the public URL of the gateway. If the URL has changed, the callbacks at hubs and clouds
   * no longer work, and all live upstream subscriptions are to be renewed at once.
   *
   * @return how many upstream subscriptions are to be renewed
   */
  CompletableFuture<Integer> reachedAt(String publicUrl, Instant now);

  /**
   * Replaces an upstream subscription, provided that it is still in the state that its caller saw.
   *
   * @return whether it was
   */
  CompletableFuture<Boolean> move(UpstreamSubscription.State from, UpstreamSubscription to);

  /**
   * {@link #move} for a step that bears on the selection: if the step is made, the transport of the
   * feed is to be selected anew, in the same transaction.
   */
  CompletableFuture<Boolean> moveAndChoose(
      UpstreamSubscription.State from, UpstreamSubscription to);

  /**
   * {@link #moveAndChoose} for an upstream subscription that failed: the failure counts against its
   * endpoint, which may be demoted for all its feeds.
   */
  CompletableFuture<Boolean> refuse(
      UpstreamSubscription.State from, UpstreamSubscription to, Instant now);

  /**
   * Replaces a refused upstream subscription by another, unless the refused one was changed
   * meanwhile. The transport is to be selected anew.
   */
  CompletableFuture<Void> beginAnew(UpstreamSubscription refused, UpstreamSubscription fresh);

  /**
   * Records whether a hub has signed a delivery as agreed. A hub that never signs is subscribed to
   * again at once, without a secret (rule S7): see {@link Trust#neverSigns}.
   *
   * @return whether the hub is subscribed to again
   */
  CompletableFuture<Boolean> delivered(long id, boolean signed, Instant now);

  /**
   * Names a hub for a feed, or takes the name back, and marks the feed for a new selection.
   *
   * @param change gives the named hub from the one that is stored; null stands for none. It runs in
   *     the transaction, so that of two changes at once none is lost
   */
  CompletableFuture<Void> nameHub(long feedId, UnaryOperator<@Nullable NamedHub> change);

  /** Marks a feed for a new selection of its transport. */
  CompletableFuture<Void> chooseAgain(long feedId);

  /** Forgets an upstream subscription that has ended. */
  CompletableFuture<Void> remove(long id);

  /**
   * A feed whose transport is to be selected.
   *
   * @param revision tells whether the feed changed in the meantime
   */
  record Choice(
      FollowedFeed feed, long revision, List<UpstreamSubscription> upstreamSubscriptions) {}
}
