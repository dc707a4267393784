package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.store.Following;
import io.feedbridge.gateway.store.Following.State;
import io.feedbridge.gateway.store.Store;
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

  /** How often a following may change its state while its hub's question is answered. */
  private static final int MAX_CROSSINGS = 3;

  private final Store store;
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
      Store store, Executor blocking, UpstreamUrls urls, Clock clock, RandomGenerator random) {
    this.store = store;
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
    return following(token, Following.Kind.WEBSUB)
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

  private CompletableFuture<Boolean> activate(Following following, IntentRequest.Verify question) {
    Instant now = clock.instant();
    Duration lease =
        question
            .lease()
            .filter(granted -> granted.compareTo(RenewalPolicy.LONGEST_LEASE) < 0)
            .orElse(RenewalPolicy.LONGEST_LEASE);
    Following active =
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
    // One that goes live takes the place of the old way, which is ended by the choice.
    return following.state().isLive()
        ? store.followings().move(following.state(), active)
        : store.followings().moveAndChoose(following.state(), active);
  }

  private boolean isExpected(Following following, IntentRequest.Verify question) {
    SubscriptionMode expected =
        switch (following.state()) {
          case REQUESTED, ACTIVE, RENEWING -> SubscriptionMode.SUBSCRIBE;
          case ENDING -> SubscriptionMode.UNSUBSCRIBE;
          // Nothing was sent, so that nobody can have a question.
          case REQUESTING, REFUSED -> null;
        };
    return expected != null
        && question.matches(
            new ExpectedIntent(expected, following.topic(), urls.verifyToken(following)));
  }

  /**
   * A hub says that there is no subscription, or no longer one (rule S6).
   *
   * @return whether it is one that there could have been
   */
  public CompletableFuture<Boolean> denied(String token, IntentRequest.Denied denial) {
    return denied(token, denial, MAX_CROSSINGS);
  }

  private CompletableFuture<Boolean> denied(
      String token, IntentRequest.Denied denial, int crossings) {
    return following(token, Following.Kind.WEBSUB)
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

  private CompletableFuture<Boolean> refuse(Following following, IntentRequest.Denied denial) {
    String reason =
        "the hub denied the subscription"
            + (denial.reason().isEmpty() ? "" : ": " + Said.of(denial.reason()));
    log.atInfo()
        .addKeyValue("feed", following.feedId())
        .addKeyValue("hub", following.endpoint())
        .addKeyValue("reason", reason)
        .log("The hub denied the gateway's subscription");
    Instant now = clock.instant();
    Following refused = Subscriber.refused(following, reason, false, now);
    return store.followings().refuse(following.state(), refused, now);
  }

  /**
   * A cloud tests whether the gateway's handler is the gateway's.
   *
   * @param topic normalised, as the cloud named it
   * @return the challenge to give back; empty if nothing of the kind was asked for
   */
  public CompletableFuture<Optional<String>> challenge(
      String token, String topic, ChallengeRequest request) {
    return following(token, Following.Kind.RSSCLOUD)
        .thenApply(
            found ->
                found
                    .filter(f -> f.state() == State.REQUESTED || f.state().isLive())
                    .filter(following -> following.topic().equals(topic))
                    .map(following -> request.challenge()));
  }

  private CompletableFuture<Optional<Following>> following(String token, Following.Kind kind) {
    return CompletableFuture.supplyAsync(
        () -> store.followings().byToken(token).filter(following -> following.kind() == kind),
        blocking);
  }
}
