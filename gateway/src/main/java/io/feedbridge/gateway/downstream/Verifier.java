package io.feedbridge.gateway.downstream;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.CallException;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Following;
import io.feedbridge.gateway.store.NullDevice;
import io.feedbridge.gateway.store.PeerGateway;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.SubscriptionState;
import io.feedbridge.gateway.store.Subscriptions;
import io.feedbridge.gateway.store.Verification;
import io.feedbridge.websub.Denial;
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
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks callbacks whether they meant it (rules H4, H5), once the topic's first fetch is recorded,
 * and tells those who have no subscription, or have it in vain, that they are denied (rule H10):
 * whose topic cannot be had, whose feed is gone, whom the operator has ended.
 */
public final class Verifier implements AutoCloseable {

  /** Verifications under way at once; the others wait in the store. */
  static final int MAX_UNDER_WAY = 256;

  /** Of those, at one host: one that hangs with thousands of callbacks holds up no other. */
  static final int MAX_PER_HOST = 16;

  /** Denials that wait for their first try; who else is to be told waits in the store. */
  static final int MAX_DENIALS = 2_000;

  /** A challenge is short; more than this is not one. */
  private static final int MAX_ANSWER = 4 * 1024;

  /**
   * Pauses after attempts that did not reach the callback; after the last the request is dropped.
   */
  private static final List<Duration> PAUSES =
      List.of(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMinutes(2));

  /** How long an outcome rests that could not be recorded, before the callback is asked again. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(30);

  private static final String RING = "this hub follows the topic through yours";

  private static final String NOT_YOURS = "there is no such subscription of yours";

  private static final Logger log = LoggerFactory.getLogger(Verifier.class);

  private final Store store;
  private final OutboundClient client;
  private final Timer timer;
  private final Clock clock;
  private final RandomGenerator random;
  private final String userAgent;
  private final String publicUrl;
  private final Policies policies;
  private final Pump pump;

  private final Outcomes outcomes;
  private final UnderWay underWay = new UnderWay(MAX_UNDER_WAY, MAX_PER_HOST);

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor for the pump, which blocks
   * @param random for challenges: unguessable
   * @param publicUrl of the gateway itself
   * @param policies may have changed since a request came in
   * @param outcomes is told what comes of each request
   */
  public Verifier(
      Store store,
      OutboundClient client,
      Executor executor,
      Timer timer,
      RandomGenerator random,
      String userAgent,
      URI publicUrl,
      Policies policies,
      Outcomes outcomes) {
    this.policies = policies;
    this.store = store;
    this.client = client;
    this.timer = timer;
    this.clock = timer.clock();
    this.random = random;
    this.userAgent = userAgent;
    this.publicUrl = publicUrl.toString();
    this.outcomes = outcomes;
    pump = new Pump("verifications", this::step, executor, timer);
  }

  /** Verifies what waits for it, then whatever comes. */
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
      // Those of hosts that are full now are passed over the next time.
    }
    // Whoever is due and did not begin is woken by the end of one that did.
    return store.subscriptions().nextDue(now);
  }

  private boolean beginSome(Instant now) {
    int known = underWay.size();
    if (known >= MAX_UNDER_WAY) {
      return false;
    }
    underWay.look();
    boolean begun = false;
    // Those under way are still there, so that many more are looked at than can begin.
    for (Subscriptions.Pending pending :
        store.subscriptions().due(now, underWay.fullHosts(), known + MAX_UNDER_WAY)) {
      Verification verification = pending.verification();
      if (underWay.begin(verification.id(), verification.host())) {
        begun = true;
        verify(pending);
      }
    }
    return begun;
  }

  private void verify(Subscriptions.Pending pending) {
    Verification verification = pending.verification();
    FollowedFeed feed = pending.feed();
    CompletableFuture<?> done =
        policies.permitCallback(verification.callback())
            ? verify(verification, feed)
            : refuse(verification, SubscriptionState.DENIED, Policies.CALLBACK_REFUSED);
    var unused = done.whenComplete((result, failure) -> ended(verification, failure));
  }

  private CompletableFuture<?> verify(Verification verification, @Nullable FollowedFeed feed) {
    return switch (verification.mode()) {
      case SUBSCRIBE -> {
        if (!policies.permitTopic(verification.topic())) {
          yield deny(verification, Policies.TOPIC_REFUSED);
        }
        if (feed != null && !isThere(feed)) {
          yield deny(verification, unfetchable(feed));
        }
        yield isFollowed(verification) ? deny(verification, RING) : settle(verification);
      }
      case UNSUBSCRIBE -> settle(verification);
      case DENIED -> deny(verification, String.valueOf(verification.reason()));
    };
  }

  /**
   * Whether it is another gateway through which this one follows the feed. Usually that one sees it
   * first and does not ask; of two that ask each other at once, one is to give in.
   */
  private boolean isFollowed(Verification verification) {
    Long feedId = verification.feedId();
    return feedId != null
        && verification.callback().contains(PeerGateway.CALLBACKS)
        && store.followings().ofFeed(feedId).stream()
            .filter(following -> !following.state().isOver())
            .anyMatch(following -> isRing(following, verification));
  }

  private boolean isRing(Following following, Verification verification) {
    return PeerGateway.at(following.endpoint())
        .filter(peer -> peer.isCalledAt(verification.callback()))
        .filter(peer -> following.state().isLive() || publicUrl.compareTo(peer.base()) > 0)
        .isPresent();
  }

  private static boolean isThere(FollowedFeed feed) {
    return feed.hasBaseline() && feed.state() != FeedState.GONE;
  }

  private void ended(Verification verification, @Nullable Throwable failure) {
    if (failure == null) {
      release(verification.id());
      return;
    }
    log.atError()
        .addKeyValue("topic", verification.topic())
        .addKeyValue("again", PAUSE_AFTER_FAILURE)
        .setCause(failure)
        .log("A verification could not be recorded, it will be repeated");
    // It is due still: let go of at once, it would call its callback again and again meanwhile.
    timer.at(clock.instant().plus(PAUSE_AFTER_FAILURE), () -> release(verification.id()));
  }

  private void release(long id) {
    underWay.end(id);
    pump.wake();
  }

  private static String unfetchable(FollowedFeed feed) {
    String why = feed.fetched().message();
    return "the topic cannot be fetched: " + (why == null ? "unknown reason" : why);
  }

  /** Whatever is answered, it was told; so is whoever waits for it and answers for the callback. */
  private CompletableFuture<?> deny(Verification verification, String reason) {
    Denial denial = new Denial(verification.callback(), verification.terms().namedTopic(), reason);
    log(verification, "denied", reason);
    if (NullDevice.is(verification.callback())
        || (verification.vouched() && outcomes.isAwaited(verification))) {
      return refuse(verification, SubscriptionState.DENIED, reason);
    }
    // Whoever was subscribed has shown that he wants to be told.
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

  /** Ends a request that came to nothing, and says why to whoever waits for it. */
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
                    verification,
                    newest ? Optional.empty() : Optional.of("a newer request took its place")));
  }

  /** Asks the callback, unless whoever made the request may decide for it. */
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
      return refuse(
          verification,
          SubscriptionState.UNCONFIRMED,
          why + " and must give the challenge back with a 2xx");
    }
    String why = failure == null ? "" : String.valueOf(failure.getMessage());
    log(verification, "unreachable", why);
    return unreached(
        verification,
        failure,
        SubscriptionState.UNCONFIRMED,
        "the callback could not be reached: " + why);
  }

  /** Tries again some times, unless that is in vain or somebody cannot wait for it. */
  private CompletableFuture<Void> unreached(
      Verification verification, @Nullable Throwable failure, SubscriptionState as, String why) {
    if (cutOff(failure)) {
      return CompletableFuture.completedFuture(null);
    }
    return verification.attempts() < PAUSES.size()
            && !refused(failure)
            && !outcomes.isAwaited(verification)
        ? store
            .subscriptions()
            .postpone(verification, clock.instant().plus(PAUSES.get(verification.attempts())))
        : refuse(verification, as, why);
  }

  /** The gateway is stopping; after the restart the request is verified anew. */
  private static boolean cutOff(@Nullable Throwable failure) {
    return failure instanceof CallException call && call.failure() == CallException.Failure.CLOSED;
  }

  /** Trying again would not make the callback's address a permitted one. */
  private static boolean refused(@Nullable Throwable failure) {
    return failure instanceof CallException call
        && (call.failure() == CallException.Failure.ADDRESS_REFUSED
            || call.failure() == CallException.Failure.BAD_URL);
  }

  private Call.Builder get(String url) {
    return Call.get(url, Purpose.CALLBACK)
        .header("User-Agent", userAgent)
        .truncateBodyAt(MAX_ANSWER);
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
