package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.rsscloud.ChallengeRequest;
import io.feedbridge.websub.ExpectedIntent;
import io.feedbridge.websub.IntentRequest;
import io.feedbridge.websub.RenewalPolicy;
import io.feedbridge.websub.SubscriptionMode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the questions of upstream hubs and clouds: whether the gateway really asked. Safe for use
 * by several threads, event loops included.
 */
public final class UpstreamCallbacks {

  private static final Logger log = LoggerFactory.getLogger(UpstreamCallbacks.class);

  /** How often an upstream subscription may change its state while a hub's request is answered. */
  private static final int MAX_CROSSINGS = 3;

  private final Store store;
  private final UpstreamLog steps;
  private final Executor blocking;
  private final UpstreamUrls urls;
  private final Clock clock;
  private final RandomGenerator random;

  /**
   * Wires the part.
   *
   * @param blocking where the store is read
   */
  public UpstreamCallbacks(
      Store store,
      ActivityLog activity,
      Executor blocking,
      UpstreamUrls urls,
      Clock clock,
      RandomGenerator random) {
    this.store = store;
    steps = new UpstreamLog(store, activity, blocking);
    this.blocking = blocking;
    this.urls = urls;
    this.clock = clock;
    this.random = random;
  }

  /**
   * A hub asks whether the gateway meant it (rule S5). A subscription that it confirms is active
   * when the future completes.
   *
   * @param token of the callback that was called
   * @return the challenge to give back; empty if nothing of the kind was asked for
   */
  public CompletableFuture<Optional<String>> verify(String token, IntentRequest.Verify question) {
    return verify(token, question, MAX_CROSSINGS);
  }

  private CompletableFuture<Optional<String>> verify(
      String token, IntentRequest.Verify question, int crossings) {
    return following(token, UpstreamSubscription.Kind.WEBSUB)
        .thenCompose(
            found -> {
              if (found.isEmpty() || !isExpected(found.get(), question)) {
                return CompletableFuture.completedFuture(Optional.empty());
              }
              Optional<String> challenge = Optional.of(question.challenge());
              if (question.mode() == SubscriptionMode.UNSUBSCRIBE) {
                return CompletableFuture.completedFuture(challenge);
              }
              return activate(found.get(), question)
                  .thenCompose(
                      moved ->
                          moved || crossings == 0
                              ? CompletableFuture.completedFuture(
                                  moved ? challenge : Optional.empty())
                              : verify(token, question, crossings - 1));
            });
  }

  private CompletableFuture<Boolean> activate(
      UpstreamSubscription following, IntentRequest.Verify question) {
    Instant now = clock.instant();
    Duration lease =
        question
            .lease()
            .filter(granted -> granted.compareTo(RenewalPolicy.LONGEST_LEASE) < 0)
            .orElse(RenewalPolicy.LONGEST_LEASE);
    UpstreamSubscription active =
        following
            .trusted(following.trust().live(now))
            .withLease(now.plus(lease))
            .with(
                State.ACTIVE,
                now.plus(RenewalPolicy.renewAfter(lease, random.nextDouble())),
                0,
                null);
    log.atInfo()
        .addKeyValue("feed", following.feedId())
        .addKeyValue("hub", following.endpoint())
        .addKeyValue("lease", lease)
        .log("The hub verified the gateway's subscription");
    // A subscription that becomes active replaces the former transport, which the choice ends. A
    // renewed one may have been requested before another gateway subscribed to this one.
    CompletableFuture<Boolean> moved =
        store.upstreamSubscriptions().moveAndChoose(following.state(), active);
    return steps.note(moved, active, true, "verified until " + active.leaseEndsAt());
  }

  private boolean isExpected(UpstreamSubscription following, IntentRequest.Verify question) {
    SubscriptionMode expected =
        switch (following.state()) {
          case REQUESTED, ACTIVE, RENEWING -> SubscriptionMode.SUBSCRIBE;
          case ENDING -> SubscriptionMode.UNSUBSCRIBE;
          // No request was sent, so that a hub has nothing to verify.
          case REQUESTING, REFUSED -> null;
        };
    return expected != null
        && question.matches(
            new ExpectedIntent(expected, following.topic(), urls.verifyToken(following)));
  }

  /**
   * A hub denies or ends a subscription (rule S6).
   *
   * @return whether the gateway could have had that subscription
   */
  public CompletableFuture<Boolean> denied(String token, IntentRequest.Denied denial) {
    return denied(token, denial, MAX_CROSSINGS);
  }

  private CompletableFuture<Boolean> denied(
      String token, IntentRequest.Denied denial, int crossings) {
    return following(token, UpstreamSubscription.Kind.WEBSUB)
        .thenCompose(
            found -> {
              if (found.isEmpty() || found.get().state() == State.ENDING) {
                return CompletableFuture.completedFuture(found.isPresent());
              }
              return refuse(found.get(), denial)
                  .thenCompose(
                      moved ->
                          moved || crossings == 0
                              ? CompletableFuture.completedFuture(true)
                              : denied(token, denial, crossings - 1));
            });
  }

  private CompletableFuture<Boolean> refuse(
      UpstreamSubscription following, IntentRequest.Denied denial) {
    String reason =
        "the hub denied the subscription"
            + (denial.reason().isEmpty() ? "" : ": " + Truncation.of(denial.reason()));
    log.atInfo()
        .addKeyValue("feed", following.feedId())
        .addKeyValue("hub", following.endpoint())
        .addKeyValue("reason", reason)
        .log("The hub denied the gateway's subscription");
    Instant now = clock.instant();
    UpstreamSubscription refused = UpstreamSubscriber.refused(following, reason, false, now);
    return steps.note(
        store.upstreamSubscriptions().refuse(following.state(), refused, now),
        refused,
        false,
        reason);
  }

  /**
   * A cloud tests whether the gateway's handler is the gateway's.
   *
   * @param topic normalised, as the cloud named it
   * @return the challenge to give back; empty if nothing of the kind was asked for
   */
  public CompletableFuture<Optional<String>> challenge(
      String token, String topic, ChallengeRequest request) {
    return following(token, UpstreamSubscription.Kind.RSSCLOUD)
        .thenApply(
            found ->
                found
                    .filter(f -> f.state() == State.REQUESTED || f.state().isLive())
                    .filter(following -> following.isNamed(topic))
                    .map(following -> request.challenge()));
  }

  private CompletableFuture<Optional<UpstreamSubscription>> following(
      String token, UpstreamSubscription.Kind kind) {
    return CompletableFuture.supplyAsync(
        () ->
            store
                .upstreamSubscriptions()
                .byToken(token)
                .filter(following -> following.kind() == kind),
        blocking);
  }
}
