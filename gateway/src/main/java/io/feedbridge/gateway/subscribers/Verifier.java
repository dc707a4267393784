package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.NullDevice;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.store.subscriptions.SubscriptionState;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.websub.Denial;
import io.feedbridge.websub.GuardQuestion;
import io.feedbridge.websub.RandomToken;
import io.feedbridge.websub.SubscriberVerification;
import io.feedbridge.websub.SubscriptionMode;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks callbacks to confirm requests (rules H4, H5), once the topic's first fetch is recorded and
 * its guard, if it has one, allows the subscription. It also tells callbacks that they are denied
 * (rule H10): requests for a topic that is gone or must not be fetched, and subscriptions whose
 * feed is gone or that an operator has ended.
 */
public final class Verifier implements AutoCloseable {

  /** Denials that wait for their first try; further denials wait in the store. */
  static final int MAX_DENIALS = 2_000;

  private static final int SERVER_ERROR = 500;

  /** A challenge is short; more than this is not one. */
  private static final int MAX_ANSWER = 4 * 1024;

  /**
   * Pauses after attempts that did not reach the callback, or that it answered with a server error;
   * after the last the request is dropped.
   */
  private static final List<Duration> PAUSES =
      List.of(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMinutes(2));

  /**
   * How long to wait after an outcome could not be recorded, before the callback is asked again.
   */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(30);

  private static final String NOT_YOURS = "there is no such subscription of yours";

  private static final Logger log = LoggerFactory.getLogger(Verifier.class);

  private final Store store;
  private final OutboundClient client;
  private final Timer timer;
  private final Clock clock;
  private final RandomGenerator random;
  private final Permissions permissions;
  private final Policies policies;
  private final Pump pump;

  private final Outcomes outcomes;
  private final VerificationPlaces places = new VerificationPlaces();

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor for the pump and for verifications whose guard has answered; both block
   * @param random for challenges: unguessable
   * @param publicUrl of the gateway itself
   * @param policies may have changed since a request came in
   * @param outcomes receives the outcome of each request
   */
  public Verifier(
      Store store,
      OutboundClient client,
      Executor executor,
      Timer timer,
      RandomGenerator random,
      URI publicUrl,
      Policies policies,
      Outcomes outcomes) {
    this.policies = policies;
    this.store = store;
    this.client = client;
    this.timer = timer;
    this.clock = timer.clock();
    this.random = random;
    permissions = new Permissions(store, client, executor, clock, publicUrl, policies);
    this.outcomes = outcomes;
    pump = new Pump("verifications", this::step, executor, timer);
  }

  /** Verifies the requests that wait, then each further one. */
  public void start() {
    store.onChange(Change.VERIFICATION, pump::wake);
    pump.start();
  }

  private Optional<Instant> step() {
    Instant now = clock.instant();
    if (store.denials().any()) {
      store.denials().queue(MAX_DENIALS, now).join();
    }
    while (beginSome(now)) {
      // The next look passes over requests at hosts that are full now.
    }
    // A due request that did not begin is looked at again when a verification ends.
    return store.subscriptions().nextDue(now);
  }

  private boolean beginSome(Instant now) {
    boolean begun = false;
    for (Subscriptions.Pending pending : places.due(store.subscriptions(), now)) {
      if (places.begin(pending)) {
        begun = true;
        verify(pending);
      }
    }
    return begun;
  }

  private void verify(Subscriptions.Pending pending) {
    Verification verification = pending.verification();
    CompletableFuture<?> done;
    try {
      done =
          policies.permitCallback(verification.callback())
              ? verify(verification, pending.feed())
              : refuse(verification, SubscriptionState.DENIED, Policies.CALLBACK_REFUSED);
    } catch (RuntimeException | Error e) {
      // A read that fails, say: the place is not kept, and the others have their turns.
      done = CompletableFuture.failedFuture(e);
    }
    var unused = done.whenComplete((result, failure) -> ended(pending, failure));
  }

  private CompletableFuture<?> verify(Verification verification, @Nullable FollowedFeed feed) {
    return switch (verification.mode()) {
      case SUBSCRIBE ->
          // A caller that waits for the answer can wait for no origin.
          permissions
              .of(verification, feed, outcomes.isAwaited(verification))
              .thenCompose(verdict -> obey(verification, verdict));
      case UNSUBSCRIBE -> settle(verification);
      case DENIED -> deny(verification, String.valueOf(verification.reason()));
    };
  }

  private CompletableFuture<?> obey(Verification verification, GuardQuestion.Verdict verdict) {
    if (verdict instanceof GuardQuestion.Denied denied) {
      return deny(verification, denied.reason());
    }
    if (verdict instanceof GuardQuestion.Unanswered unanswered) {
      log(verification, "not decided by its guard", unanswered.reason());
      return again(verification, null, () -> deny(verification, unanswered.reason()));
    }
    return settle(verification);
  }

  private void ended(Subscriptions.Pending pending, @Nullable Throwable failure) {
    if (failure == null) {
      release(pending);
      return;
    }
    log.atError()
        .addKeyValue("topic", pending.verification().topic())
        .addKeyValue("again", PAUSE_AFTER_FAILURE)
        .setCause(failure)
        .log("A verification could not be recorded and is repeated");
    // The request is still due: released at once, it would call its callback again and again
    // meanwhile.
    timer.at(clock.instant().plus(PAUSE_AFTER_FAILURE), () -> release(pending));
  }

  private void release(Subscriptions.Pending pending) {
    places.end(pending);
    pump.wake();
  }

  /**
   * Denies a request: any answer of the callback ends it. A waiting caller with credentials for the
   * callback gets the reason in place of the callback.
   */
  private CompletableFuture<Void> deny(Verification verification, String reason) {
    Denial denial = new Denial(verification.callback(), verification.terms().namedTopic(), reason);
    log(verification, "denied", reason);
    if (NullDevice.is(verification.callback())
        || (verification.vouched() && outcomes.isAwaited(verification))) {
      return refuse(verification, SubscriptionState.DENIED, reason);
    }
    // A callback that had a subscription has shown that it wants the notice.
    boolean known = verification.mode() == Verification.Mode.DENIED;
    return client
        .send(
            known ? get(denial.url()).build() : get(denial.url()).unlessWanted(no -> false).build())
        .handle(Attempt::new)
        .thenCompose(
            attempt ->
                attempt.failure == null
                    ? refuse(verification, SubscriptionState.DENIED, reason)
                    : unreached(verification, attempt.failure, SubscriptionState.DENIED, reason));
  }

  /** Ends a request that failed, and gives the reason to the callers that wait for it. */
  private CompletableFuture<Void> refuse(
      Verification verification, SubscriptionState as, String why) {
    return store
        .subscriptions()
        .drop(verification, as, why, clock.instant())
        .thenRun(() -> outcomes.ended(verification, Optional.of(why)));
  }

  private CompletableFuture<?> confirm(Verification verification) {
    return store
        .subscriptions()
        .confirm(verification, clock.instant())
        .thenAccept(
            newest ->
                outcomes.ended(
                    verification, newest ? Optional.empty() : Optional.of(instead(verification))));
  }

  private String instead(Verification verification) {
    return store.privateFeeds().contains(verification.topic())
        ? PrivateFeeds.REFUSED
        : "a newer request took its place";
  }

  /** Asks the callback, unless the request came with credentials that may decide for it. */
  private CompletableFuture<?> settle(Verification verification) {
    if (verification.vouched()) {
      log(verification, "confirmed", "by the credentials it came with");
      return confirm(verification);
    }
    return NullDevice.is(verification.callback())
        ? refuse(verification, SubscriptionState.UNCONFIRMED, NOT_YOURS)
        : ask(verification);
  }

  private CompletableFuture<?> ask(Verification verification) {
    boolean subscribe = verification.mode() == Verification.Mode.SUBSCRIBE;
    // Requests of strangers for other callbacks of the host must not prevent a renewal.
    boolean renewal = store.subscriptions().isActive(verification.topic(), verification.callback());
    SubscriberVerification question =
        new SubscriberVerification(
            subscribe ? SubscriptionMode.SUBSCRIBE : SubscriptionMode.UNSUBSCRIBE,
            verification.callback(),
            verification.terms().namedTopic(),
            RandomToken.next(random),
            subscribe ? Optional.of(verification.terms().lease()) : Optional.empty(),
            Optional.ofNullable(verification.verifyToken()));
    return client
        .send(
            get(question.url())
                .unlessWanted(reply -> question.confirmedBy(reply.status(), reply.body()))
                .wantedBefore(renewal)
                .build())
        .handle(Attempt::new)
        .thenCompose(attempt -> judge(verification, question, attempt));
  }

  private record Attempt(@Nullable Reply reply, @Nullable Throwable failure) {}

  private CompletableFuture<?> judge(
      Verification verification, SubscriberVerification question, Attempt attempt) {
    Reply reply = attempt.reply;
    Throwable failure = attempt.failure;
    if (reply != null && question.confirmedBy(reply.status(), reply.body())) {
      Failpoint.BEFORE_CONFIRMATION.reached();
      log(verification, "confirmed", "");
      return confirm(verification);
    }
    if (reply != null) {
      String why = "the callback answered with status " + reply.status();
      log(verification, "not confirmed", why);
      if (reply.status() >= SERVER_ERROR) {
        return unreached(verification, null, SubscriptionState.UNCONFIRMED, why);
      }
      return refuse(
          verification,
          SubscriptionState.UNCONFIRMED,
          why + " and must return the challenge with a 2xx");
    }
    String why = why(failure);
    log(verification, "unreachable", why);
    return unreached(
        verification,
        failure,
        SubscriptionState.UNCONFIRMED,
        "the callback could not be reached: " + why);
  }

  private static String why(@Nullable Throwable failure) {
    return failure == null ? "" : String.valueOf(failure.getMessage());
  }

  private CompletableFuture<Void> unreached(
      Verification verification, @Nullable Throwable failure, SubscriptionState as, String why) {
    return again(verification, failure, () -> refuse(verification, as, why));
  }

  /**
   * Tries again a few times, unless that is in vain or a caller waits, which cannot wait for it.
   */
  private CompletableFuture<Void> again(
      Verification verification,
      @Nullable Throwable failure,
      Supplier<CompletableFuture<Void>> otherwise) {
    if (cutOff(failure)) {
      return CompletableFuture.completedFuture(null);
    }
    return verification.attempts() < PAUSES.size()
            && !isRefused(failure)
            && !outcomes.isAwaited(verification)
        ? store
            .subscriptions()
            .postpone(verification, clock.instant().plus(PAUSES.get(verification.attempts())))
        : otherwise.get();
  }

  /** The gateway is stopping; after the restart the request is verified anew. */
  private static boolean cutOff(@Nullable Throwable failure) {
    return failure instanceof CallException call && call.failure() == CallException.Failure.CLOSED;
  }

  private static boolean isRefused(@Nullable Throwable failure) {
    return failure instanceof CallException call && call.isRefused();
  }

  private Call.Builder get(String url) {
    return Call.get(url, Purpose.CALLBACK).truncateBodyAt(MAX_ANSWER);
  }

  private static void log(Verification verification, String outcome, String reason) {
    log.atInfo()
        .addKeyValue("mode", verification.mode())
        .addKeyValue("topic", verification.topic())
        .addKeyValue("outcome", outcome)
        .addKeyValue("reason", reason)
        .log("A subscription request was verified");
  }

  /** Begins no more verifications. */
  @Override
  public void close() {
    pump.close();
  }
}
