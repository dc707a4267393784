package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.Following;
import io.feedbridge.gateway.store.Following.State;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Trust;
import io.feedbridge.rsscloud.RssCloud;
import io.feedbridge.websub.RandomToken;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves each following through its states (see {@link Following.State}): sends what is due, and
 * gives up on endpoints that refuse, stay silent or let a lease run out.
 */
final class Subscriber implements AutoCloseable {

  /** How long an endpoint may take to confirm what it accepted. */
  static final Duration CONFIRMATION_WAIT = Duration.ofMinutes(5);

  /** Requests that an endpoint may leave unconfirmed before it counts as refusing. */
  static final int MAX_UNCONFIRMED = 2;

  /**
   * How long a renewal waits for its next try at most; sooner where little of the lease is left.
   */
  static final Duration RENEWAL_PAUSE = Duration.ofMinutes(5);

  private static final Duration SHORTEST_RENEWAL_PAUSE = Duration.ofSeconds(10);

  /** Tries that the rest of a lease has room for at least, as long as that is not too often. */
  private static final int TRIES_LEFT = 4;

  /** How long a step rests that could not be recorded, because of a full disk, say. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(5);

  /** How long the verification of an unsubscription is waited for. */
  static final Duration ENDING_WAIT = Duration.ofMinutes(1);

  /** Requests under way at once. */
  static final int MAX_UNDER_WAY = 64;

  /** Renewals that become due at once when there are more than may be under way: 20 in a second. */
  static final int RENEWALS_PER_TICK = 5;

  static final Duration RENEWAL_TICK = Duration.ofMillis(250);

  /** What a renewal that was put off must find left of its lease. */
  static final Duration RENEWAL_MARGIN = Duration.ofMinutes(15);

  private static final Logger log = LoggerFactory.getLogger(Subscriber.class);

  private final Store store;
  private final Endpoint hub;
  private final Endpoint cloud;
  private final Timer timer;
  private final Clock clock;
  private final RandomGenerator random;
  private final Pump pump;

  /** Followings with a request under way; guarded by itself. */
  private final Set<Long> underWay = new HashSet<>();

  Subscriber(
      Store store,
      Endpoint hub,
      Endpoint cloud,
      Executor executor,
      Timer timer,
      RandomGenerator random) {
    this.store = store;
    this.hub = hub;
    this.cloud = cloud;
    this.timer = timer;
    clock = timer.clock();
    this.random = random;
    pump = new Pump("followings", this::step, executor, timer);
  }

  void start() {
    store.onChange(Change.FOLLOWING, pump::wake);
    pump.start();
  }

  private Optional<Instant> step() {
    Instant now = clock.instant();
    int known;
    synchronized (underWay) {
      known = underWay.size();
    }
    List<Following> due = store.followings().due(now, known + MAX_UNDER_WAY);
    if (renewals(due) >= MAX_UNDER_WAY && spread(now) > 0) {
      due = store.followings().due(now, known + MAX_UNDER_WAY);
    }
    for (Following following : due) {
      if (begin(following.id())) {
        CompletableFuture<?> done = act(following, now);
        var unused = done.whenComplete((result, failure) -> ended(following, failure));
      }
    }
    // Whoever is due and did not begin is woken by the end of one that did.
    return due.isEmpty() ? store.followings().nextDue() : Optional.empty();
  }

  private static long renewals(List<Following> due) {
    return due.stream().filter(following -> following.state() == State.ACTIVE).count();
  }

  /** After a long stop, say, an endpoint is not to meet all renewals at once. */
  private int spread(Instant now) {
    return store
        .followings()
        .spreadRenewals(now, RENEWALS_PER_TICK, RENEWAL_TICK, RENEWAL_MARGIN)
        .join();
  }

  private boolean begin(long id) {
    synchronized (underWay) {
      return underWay.size() < MAX_UNDER_WAY && underWay.add(id);
    }
  }

  private void ended(Following following, @Nullable Throwable failure) {
    if (failure == null) {
      release(following.id());
      return;
    }
    log.atError()
        .addKeyValue("following", following.id())
        .addKeyValue("again", PAUSE_AFTER_FAILURE)
        .setCause(failure)
        .log("A step of a following could not be recorded, it will be repeated");
    // It is due still: let go of at once, it would be tried again and again meanwhile.
    timer.at(clock.instant().plus(PAUSE_AFTER_FAILURE), () -> release(following.id()));
  }

  private void release(long id) {
    synchronized (underWay) {
      underWay.remove(id);
    }
    pump.wake();
  }

  private CompletableFuture<?> act(Following following, Instant now) {
    return switch (following.state()) {
      case REQUESTING -> request(following, State.REQUESTED, now);
      case REQUESTED ->
          following.attempts() < MAX_UNCONFIRMED
              ? request(following, State.REQUESTED, now)
              : refuse(following, "it never confirmed the subscription", true, now);
      case ACTIVE -> request(following, State.RENEWING, now);
      case RENEWING ->
          following.leaseEndsAt() == null || following.leaseEndsAt().isAfter(now)
              ? request(following, State.RENEWING, now)
              : refuse(following, "the lease ran out without being renewed", true, now);
      case REFUSED -> store.followings().beginAnew(following, anew(following, now));
      case ENDING -> end(following, now);
    };
  }

  /**
   * Asks the endpoint. The state is moved first, because a hub may verify, and a cloud does test,
   * before it answers.
   */
  private CompletableFuture<?> request(Following following, State asked, Instant now) {
    Instant next =
        asked == State.RENEWING
            ? nextRenewal(following.leaseEndsAt(), now)
            : now.plus(CONFIRMATION_WAIT);
    Following requested = following.with(asked, next, following.attempts() + 1, following.reason());
    return store
        .followings()
        .move(following.state(), requested)
        .thenCompose(
            moved -> {
              if (!moved) {
                return CompletableFuture.completedFuture(null);
              }
              Failpoint.BEFORE_UPSTREAM_REQUEST.reached();
              return endpoint(following)
                  .subscribe(following)
                  .thenCompose(answer -> answered(requested, answer));
            });
  }

  /** Several times before the lease ends, and then, to find that it has. */
  private static Instant nextRenewal(@Nullable Instant leaseEnds, Instant now) {
    if (leaseEnds == null) {
      return now.plus(RENEWAL_PAUSE);
    }
    Duration share = Duration.between(now, leaseEnds).dividedBy(TRIES_LEFT);
    Duration pause = share.compareTo(RENEWAL_PAUSE) < 0 ? share : RENEWAL_PAUSE;
    Instant next =
        now.plus(pause.compareTo(SHORTEST_RENEWAL_PAUSE) < 0 ? SHORTEST_RENEWAL_PAUSE : pause);
    return leaseEnds.isAfter(now) && next.isAfter(leaseEnds) ? leaseEnds : next;
  }

  private CompletableFuture<?> answered(Following requested, Endpoint.Answer answer) {
    Instant now = clock.instant();
    if (answer instanceof Endpoint.Answer.Registered) {
      Following active =
          requested
              .withLease(now.plus(RssCloud.REGISTRATION_LIFETIME))
              .with(
                  State.ACTIVE,
                  io.feedbridge.rsscloud.RenewalPolicy.renewAt(now, random.nextDouble()),
                  0,
                  null);
      log(active, "The cloud registered the gateway");
      return store.followings().moveAndChoose(requested.state(), active);
    }
    if (answer instanceof Endpoint.Answer.Refused refused) {
      // A renewal that fails is tried again while the lease lasts.
      return requested.state() == State.RENEWING
          ? store
              .followings()
              .move(
                  State.RENEWING,
                  requested.with(
                      State.RENEWING,
                      requested.nextActionAt(),
                      requested.attempts(),
                      refused.reason()))
          : refuse(requested, refused.reason(), refused.atFault(), now);
    }
    return CompletableFuture.completedFuture(null);
  }

  /** Each subscription has a callback and a secret of its own (rule S3). */
  private Following anew(Following refused, Instant now) {
    return new Following(
        0,
        refused.feedId(),
        refused.kind(),
        refused.endpoint(),
        refused.topic(),
        RandomToken.next(random),
        refused.kind() == Following.Kind.WEBSUB ? RandomToken.next(random) : null,
        State.REQUESTING,
        null,
        now,
        0,
        null,
        refused.trust());
  }

  private CompletableFuture<?> refuse(
      Following following, String reason, boolean atFault, Instant now) {
    Following refused = refused(following, reason, atFault, now);
    log(refused, "An upstream will not do");
    return store.followings().refuse(following.state(), refused, now);
  }

  /**
   * A following whose endpoint will not, which is left alone for longer each time.
   *
   * @param atFault whether the endpoint fails, as opposed to saying no
   */
  static Following refused(Following following, String reason, boolean atFault, Instant now) {
    Trust less = following.trust().demoted(atFault);
    return following
        .trusted(less)
        .with(State.REFUSED, now.plus(Trust.pause(less.demotions())), following.attempts(), reason);
  }

  /** Says so once, then keeps the callback alive for the verification that may follow. */
  private CompletableFuture<?> end(Following following, Instant now) {
    if (following.attempts() > 0 || following.kind() == Following.Kind.RSSCLOUD) {
      return store.followings().remove(following.id());
    }
    Following told = following.with(State.ENDING, now.plus(ENDING_WAIT), 1, following.reason());
    return store
        .followings()
        .move(State.ENDING, told)
        .thenCompose(moved -> endpoint(following).unsubscribe(following));
  }

  private Endpoint endpoint(Following following) {
    return following.kind() == Following.Kind.WEBSUB ? hub : cloud;
  }

  private static void log(Following following, String what) {
    log.atInfo()
        .addKeyValue("feed", following.feedId())
        .addKeyValue("endpoint", following.endpoint())
        .addKeyValue("topic", following.topic())
        .addKeyValue("reason", following.reason())
        .log(what);
  }

  @Override
  public void close() {
    pump.close();
  }
}
