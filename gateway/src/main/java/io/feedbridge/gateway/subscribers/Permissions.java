package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.store.Barrier;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.websub.GuardQuestion;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Whether a WebSub subscription is permitted, before its callback is asked: by the operator's
 * rules, by the feed, by the gateways behind the callback, and by the publisher's guard. Safe for
 * use by several threads.
 */
final class Permissions {

  private static final Duration GUARD_TIMEOUT = Duration.ofSeconds(10);

  private final Store store;
  private final Executor executor;
  private final Clock clock;
  private final Policies policies;
  private final GatewayRings rings;
  private final TopicGuards guards;

  /**
   * Over a store.
   *
   * @param executor on which the answers of guards are handed on
   */
  Permissions(
      Store store,
      OutboundClient client,
      Executor executor,
      Clock clock,
      URI publicUrl,
      Policies policies) {
    this.store = store;
    this.executor = executor;
    this.clock = clock;
    this.policies = policies;
    rings = new GatewayRings(store, publicUrl.toString());
    guards = new TopicGuards(client);
  }

  /**
   * The verdict. Blocks, and completes on a thread that may block.
   *
   * @param atOnce whether a feed that could not be fetched yet is a reason to deny
   */
  CompletableFuture<GuardQuestion.Verdict> of(
      Verification verification, @Nullable FollowedFeed feed, boolean atOnce) {
    Optional<String> refusal = policies.topicRefusal(verification.topic());
    if (refusal.isPresent()) {
      return denied(refusal.get());
    }
    if (feed != null && (isBarred(feed) || (!feed.hasBaseline() && atOnce))) {
      String why = feed.fetched().message();
      return denied("the topic cannot be fetched: " + (why == null ? "unknown reason" : why));
    }
    if (rings.closes(feed, verification.callback(), verification.terms().path())) {
      return breakRing(verification);
    }
    String guard = feed == null ? null : feed.advertised().guard();
    return guard == null
        ? CompletableFuture.completedFuture(new GuardQuestion.Allowed())
        : ask(guard, verification);
  }

  /** Any other topic that cannot be fetched yet is waited for, for as long as the lease lasts. */
  private static boolean isBarred(FollowedFeed feed) {
    Barrier barrier = feed.hasBaseline() ? null : feed.fetched().barrier();
    return feed.state() == FeedState.GONE
        || (barrier != null && barrier.kind() == Barrier.Kind.RULE);
  }

  /** A subscription that was made before the ring was found ends too. */
  private CompletableFuture<GuardQuestion.Verdict> breakRing(Verification verification) {
    return store
        .subscriptions()
        .end(
            verification.feedId(),
            Protocol.WEBSUB,
            verification.callback(),
            GatewayPath.RING,
            clock.instant())
        .thenCompose(ended -> denied(GatewayPath.RING));
  }

  private CompletableFuture<GuardQuestion.Verdict> ask(String guard, Verification verification) {
    Terms terms = verification.terms();
    return guards
        .ask(
            guard,
            new GuardQuestion(terms.namedTopic(), verification.callback(), terms.lease()),
            store.subscriptions().isActive(verification.topic(), verification.callback()),
            GUARD_TIMEOUT)
        .thenApplyAsync(verdict -> verdict, executor);
  }

  private static CompletableFuture<GuardQuestion.Verdict> denied(String reason) {
    return CompletableFuture.completedFuture(new GuardQuestion.Denied(reason));
  }
}
