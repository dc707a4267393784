package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription.State;
import io.feedbridge.rsscloud.RssCloud;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Moves each upstream subscription through its states (see {@link UpstreamSubscription.State}):
 * sends requests that are due, and gives up on endpoints that refuse, stay silent or let a lease
 * run out.
 */
final class UpstreamSubscriber implements AutoCloseable {

  /** How long an endpoint may take to confirm a request that it accepted. */
  static final Duration CONFIRMATION_WAIT = Duration.ofMinutes(5);

  /** Requests that an endpoint may leave unconfirmed before it counts as refusing. */
  static final int MAX_UNCONFIRMED = 2;

  /** How long a step rests that could not be recorded, because of a full disk, say. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(5);

  /** How long the verification of an unsubscription is waited for. */
  static final Duration ENDING_WAIT = Duration.ofMinutes(1);

  /** The time between two looks for leases that ended at hubs that pause. */
  static final Duration LAPSE_LOOK = Duration.ofMinutes(5);

  private static final Logger log = LoggerFactory.getLogger(UpstreamSubscriber.class);

  private final Store store;
  private final UpstreamLog steps;
  private final UpstreamEndpoint hub;
  private final UpstreamEndpoint cloud;
  private final Timer timer;
  private final Clock clock;
  private final RandomGenerator random;
  private final Meters meters;
  private final Pump pump;
  private final HubPauses pauses;
  private final DueSubscriptions places;
  private final Renewals renewals;

  /** When leases at hubs that pause are looked at next; of the pump alone. */
  private Instant lapseAt;

  UpstreamSubscriber(
      Store store,
      UpstreamLog steps,
      UpstreamEndpoint hub,
      UpstreamEndpoint cloud,
      Executor executor,
      Timer timer,
      RandomGenerator random,
      Meters meters) {
    this.store = store;
    this.meters = meters;
    this.steps = steps;
    this.hub = hub;
    this.cloud = cloud;
    this.timer = timer;
    clock = timer.clock();
    this.random = random;
    pauses = new HubPauses(store.upstreams());
    places = new DueSubscriptions(store.upstreamSubscriptions(), pauses);
    renewals = new Renewals(store.upstreamSubscriptions());
    lapseAt = Instant.MIN;
    pump = new Pump("followings", this::step, executor, timer);
  }

  void start() {
    pauses.read();
    store.onChange(Change.FOLLOWING, pump::wake);
    pump.start();
  }

  private Optional<Instant> step() {
    Instant now = clock.instant();
    boolean pausing = lapse(now);
    List<UpstreamSubscription> due = places.due(now);
    if (renewals.spread(due, now)) {
      due = places.due(now);
    }
    while (beginSome(due, now)) {
      // The next look passes over subscriptions at hosts that are full now.
      due = places.due(now);
    }
    // A subscription that is due and did not begin is begun when another one ends.
    return Stream.of(
            store.upstreamSubscriptions().nextDue(now),
            pauses.next(now),
            pausing ? Optional.of(lapseAt) : Optional.<Instant>empty())
        .flatMap(Optional::stream)
        .min(Instant::compareTo);
  }

  /**
   * Nothing is relied on whose lease ended while its hub pauses; the hub is asked anew afterwards.
   *
   * @return whether a hub pauses
   */
  private boolean lapse(Instant now) {
    Set<String> hosts = pauses.hosts();
    if (!hosts.isEmpty() && !now.isBefore(lapseAt)) {
      lapseAt = now.plus(LAPSE_LOOK);
      store.upstreamSubscriptions().lapse(hosts, now).join();
    }
    return !hosts.isEmpty();
  }

  private boolean beginSome(List<UpstreamSubscription> due, Instant now) {
    boolean begun = false;
    for (UpstreamSubscription following : due) {
      if (places.begin(following, now)) {
        begun = true;
        CompletableFuture<?> done;
        try {
          done = act(following, now);
        } catch (RuntimeException | Error e) {
          // After a failed read, say: the permit is given back, and the other subscriptions go on.
          done = CompletableFuture.failedFuture(e);
        }
        var unused = done.whenComplete((result, failure) -> ended(following, failure));
      }
    }
    return begun;
  }

  private void ended(UpstreamSubscription following, @Nullable Throwable failure) {
    if (failure == null) {
      release(following);
      return;
    }
    log.atError()
        .addKeyValue("following", following.id())
        .addKeyValue("again", PAUSE_AFTER_FAILURE)
        .setCause(failure)
        .log("A step of an upstream subscription could not be recorded and is repeated");
    // It is due still: let go of at once, it would be tried again and again meanwhile.
    timer.at(clock.instant().plus(PAUSE_AFTER_FAILURE), () -> release(following));
  }

  private void release(UpstreamSubscription following) {
    places.end(following);
    pump.wake();
  }

  private CompletableFuture<?> act(UpstreamSubscription following, Instant now) {
    return switch (following.state()) {
      case REQUESTING -> request(following, State.REQUESTED, TopicNames.of(following, store), now);
      case REQUESTED ->
          following.attempts() < MAX_UNCONFIRMED
              ? request(following, State.REQUESTED, TopicNames.of(following, store), now)
              : refuse(following, "it never confirmed the subscription", true, now);
      case ACTIVE -> request(following, State.RENEWING, TopicNames.of(following, store), now);
      case RENEWING ->
          following.leaseEndsAt() == null || following.leaseEndsAt().isAfter(now)
              ? request(following, State.RENEWING, TopicNames.of(following, store), now)
              : refuse(following, "the lease ended without a renewal", true, now);
      case REFUSED -> store.upstreamSubscriptions().beginAnew(following, anew(following, now));
      case ENDING -> end(following, now);
    };
  }

  /**
   * Asks the endpoint. The state is moved first, because a hub may verify, and a cloud does test,
   * before it answers.
   */
  private CompletableFuture<?> request(
      UpstreamSubscription following, State asked, TopicNames others, Instant now) {
    Instant next =
        asked == State.RENEWING
            ? Renewals.next(following.leaseEndsAt(), now)
            : now.plus(CONFIRMATION_WAIT);
    UpstreamSubscription requested =
        following.with(asked, next, following.attempts() + 1, following.reason());
    return store
        .upstreamSubscriptions()
        .move(following.state(), requested)
        .thenCompose(
            moved -> {
              if (!moved) {
                return CompletableFuture.completedFuture(null);
              }
              Failpoint.BEFORE_UPSTREAM_REQUEST.reached();
              steps.note(
                  requested,
                  true,
                  (asked == State.RENEWING ? "renewal" : "subscription")
                      + " requested for "
                      + Activity.withoutQuery(requested.topic()));
              return endpoint(following)
                  .subscribe(following)
                  .thenCompose(answer -> answered(requested, others, answer));
            });
  }

  /**
   * Asks by the feed's next URL. It is written down before, since the cloud tests the callback, and
   * notifies later, by the URL that it was asked for.
   */
  private CompletableFuture<?> requestByNext(UpstreamSubscription requested, TopicNames others) {
    UpstreamSubscription named = requested.named(others.rest().get(0));
    return store
        .upstreamSubscriptions()
        .move(requested.state(), named)
        .thenCompose(
            moved ->
                moved
                    ? cloud
                        .subscribe(named)
                        .thenCompose(answer -> answered(named, others.tail(), answer))
                    : CompletableFuture.completedFuture(null));
  }

  /** A new subscription at a hub that pauses: the feed's next hub or cloud is asked meanwhile. */
  private CompletableFuture<?> tryOther(
      UpstreamSubscription requested, Instant again, String reason) {
    steps.note(requested, false, "another way is tried until %s: %s".formatted(again, reason));
    return store
        .upstreamSubscriptions()
        .moveAndChoose(State.REQUESTED, requested.with(State.REFUSED, again, 0, reason));
  }

  private CompletableFuture<?> answered(
      UpstreamSubscription requested, TopicNames others, UpstreamEndpoint.Answer answer) {
    places.heard(requested, answer);
    Instant now = clock.instant();
    Optional<Instant> again = pauses.heard(requested, answer, now);
    if (again.isPresent()) {
      return requested.state() == State.REQUESTED && others.otherWay()
          ? tryOther(requested, again.get(), answer.reason())
          : postpone(requested, State.REQUESTING, again.get(), answer);
    }
    if (answer instanceof UpstreamEndpoint.Answer.Registered registered) {
      UpstreamSubscription active =
          requested
              .trusted(requested.trust().live(now))
              .withLease(now.plus(RssCloud.REGISTRATION_LIFETIME))
              .with(
                  State.ACTIVE,
                  io.feedbridge.rsscloud.RenewalPolicy.renewAt(now, random.nextDouble()),
                  0,
                  null);
      log(Level.INFO, active, "The cloud registered the gateway");
      return steps.note(
          store.upstreamSubscriptions().moveAndChoose(requested.state(), active),
          active,
          true,
          "registered until " + active.leaseEndsAt() + registered.how());
    }
    if (answer instanceof UpstreamEndpoint.Answer.Ended ended) {
      return refuse(others.first(requested), ended.reason(), false, now);
    }
    if (answer instanceof UpstreamEndpoint.Answer.Refused refused) {
      if (refused.mayTakeOtherTopic() && !others.rest().isEmpty()) {
        steps.note(
            requested,
            false,
            "%s; requested again for %s".formatted(refused.reason(), others.rest().get(0)));
        return requestByNext(requested, others);
      }
      if (requested.state() == State.RENEWING) {
        steps.note(requested, false, "the renewal failed: " + refused.reason());
      }
      // A renewal that fails is tried again while the lease lasts.
      return requested.state() == State.RENEWING
          ? store
              .upstreamSubscriptions()
              .move(
                  State.RENEWING,
                  others
                      .first(requested)
                      .with(
                          State.RENEWING,
                          requested.nextActionAt(),
                          requested.attempts(),
                          refused.reason()))
          : refuse(others.first(requested), refused.reason(), refused.atFault(), now);
    }
    return CompletableFuture.completedFuture(null);
  }

  /** The request is made again once the hub takes requests. */
  private CompletableFuture<?> postpone(
      UpstreamSubscription asked, State fresh, Instant again, UpstreamEndpoint.Answer answer) {
    String reason = answer.reason();
    steps.note(asked, false, "the hub is left alone until %s: %s".formatted(again, reason));
    State before = asked.state() == State.RENEWING ? State.ACTIVE : fresh;
    return store
        .upstreamSubscriptions()
        .move(asked.state(), asked.with(before, again, asked.attempts() - 1, reason));
  }

  private UpstreamSubscription anew(UpstreamSubscription refused, Instant now) {
    return new Transport(refused.kind(), refused.endpoint(), refused.topic(), List.of())
        .begin(refused.feedId(), random, now)
        .trusted(refused.trust());
  }

  private CompletableFuture<?> refuse(
      UpstreamSubscription following, String reason, boolean atFault, Instant now) {
    UpstreamSubscription refused = refused(following, reason, atFault, now);
    meters.upstreamRefused(refused.kind());
    log(Level.WARN, refused, "An upstream hub or cloud failed");
    return steps.note(
        store.upstreamSubscriptions().refuse(following.state(), refused, now),
        refused,
        false,
        "refused: " + reason);
  }

  /**
   * An upstream subscription that its endpoint refuses, which is left alone for longer each time.
   *
   * @param atFault whether the endpoint failed, instead of refusing
   */
  static UpstreamSubscription refused(
      UpstreamSubscription following, String reason, boolean atFault, Instant now) {
    Trust less = following.trust().demoted(atFault);
    return following
        .trusted(less)
        .with(State.REFUSED, now.plus(Trust.pause(less.demotions())), following.attempts(), reason);
  }

  /** Says so once, then keeps the callback alive for the verification that may follow. */
  private CompletableFuture<?> end(UpstreamSubscription following, Instant now) {
    if (following.attempts() > 0 || following.kind() == UpstreamSubscription.Kind.RSSCLOUD) {
      return store.upstreamSubscriptions().remove(following.id());
    }
    UpstreamSubscription told =
        following.with(State.ENDING, now.plus(ENDING_WAIT), 1, following.reason());
    return store
        .upstreamSubscriptions()
        .move(State.ENDING, told)
        .thenCompose(moved -> endpoint(following).unsubscribe(following))
        .thenCompose(
            answer ->
                pauses
                    .heard(told, answer, clock.instant())
                    .filter(again -> isLeased(told, again))
                    .<CompletableFuture<?>>map(again -> postpone(told, State.ENDING, again, answer))
                    .orElseGet(() -> CompletableFuture.completedFuture(null)));
  }

  /** Whether there may be something to end at a time. */
  private static boolean isLeased(UpstreamSubscription following, Instant at) {
    return following.leaseEndsAt() != null && following.leaseEndsAt().isAfter(at);
  }

  private UpstreamEndpoint endpoint(UpstreamSubscription following) {
    return following.kind() == UpstreamSubscription.Kind.WEBSUB ? hub : cloud;
  }

  private static void log(Level level, UpstreamSubscription following, String event) {
    log.atLevel(level)
        .addKeyValue("feed", following.feedId())
        .addKeyValue("endpoint", following.endpoint())
        .addKeyValue("topic", following.topic())
        .addKeyValue("reason", following.reason())
        .log(event);
  }

  @Override
  public void close() {
    pump.close();
  }
}
