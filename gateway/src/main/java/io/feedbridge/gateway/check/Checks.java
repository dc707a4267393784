package io.feedbridge.gateway.check;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.admission.Places;
import io.feedbridge.gateway.client.address.WebAddress;
import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.upstream.TrialSubscriptions;
import io.feedbridge.websub.IntentRequest;
import io.feedbridge.websub.RandomToken;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SubscriptionMode;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checks of publishers' feeds that are under way, and the results of recent ones, in memory. It
 * answers the requests of hubs and clouds for the test subscriptions. Safe for use by several
 * threads.
 */
public final class Checks implements CheckCallbacks, AutoCloseable {

  /** The path under which a check is shown. */
  public static final String PATH = "/check/";

  /**
   * Checks that are under way, or wait for deliveries. Each has a thread until it waits for
   * deliveries, so that slow hosts hold up no other check.
   */
  public static final int MAX_RUNNING = 32;

  /** Places of {@link #MAX_RUNNING} that only feeds at a host without a check can take. */
  static final int RESERVED = 8;

  /** Checks under way of feeds at one host. */
  static final int MAX_AT_HOST = 16;

  /** Checks under way of one caller. */
  static final int MAX_OF_ONE = 4;

  /** Results that are kept. */
  static final int MAX_KEPT = 500;

  /** The time for which a result is kept. */
  static final Duration KEPT = Duration.ofHours(24);

  /** A check of the same feed within this time is the same check. */
  static final Duration REUSED = Duration.ofMinutes(1);

  private static final Logger log = LoggerFactory.getLogger(Checks.class);

  private final FirstLook look;
  private final TrialSubscriptions trials;
  private final OwnPush own;
  private final URI publicUrl;
  private final CheckBounds bounds;
  private final Executor threads;
  private final Timer timer;
  private final Clock clock;
  private final RandomGenerator random;

  private final Map<String, Token> tokens = new ConcurrentHashMap<>();
  private final Cache<String, CheckRun> kept;

  private final Places places =
      new Places(MAX_OF_ONE, new Permits.Bounds(MAX_AT_HOST, MAX_RUNNING, RESERVED, 0, 0));

  /** Ids of the newest check of each feed. Guarded by this. */
  private final Map<String, String> newest = new HashMap<>();

  private record Token(CheckRun run, Probe probe) {}

  /**
   * The checks of a gateway.
   *
   * @param threads as many as {@link #MAX_RUNNING}, where checks are made; they block
   * @param random for ids and callbacks: unguessable
   */
  public Checks(
      FirstLook look,
      TrialSubscriptions trials,
      OwnPush own,
      URI publicUrl,
      CheckBounds bounds,
      Executor threads,
      Timer timer,
      RandomGenerator random) {
    this.look = look;
    this.trials = trials;
    this.own = own;
    this.publicUrl = publicUrl;
    this.bounds = bounds;
    this.threads = threads;
    this.timer = timer;
    clock = timer.clock();
    this.random = random;
    kept =
        Caffeine.newBuilder()
            .maximumSize(MAX_KEPT)
            .expireAfterWrite(KEPT)
            .ticker(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos())
            .executor(Runnable::run)
            .removalListener(this::removed)
            .build();
  }

  /**
   * Begins a check, or returns the one of the same feed that has begun within a minute.
   *
   * @param url normalised
   * @param caller as limits tell callers apart
   * @param mayAsk whether a hub or a cloud may be asked for this caller
   * @return empty if too many are under way
   */
  public Optional<FeedCheck> begin(String url, String caller, Predicate<String> mayAsk) {
    Optional<FeedCheck> recent = recent(url);
    if (recent.isPresent()) {
      return recent;
    }
    String id = RandomToken.next(random);
    Optional<Places.Place> place = places.tryEnter(caller, WebAddress.hostOf(url));
    if (place.isEmpty()) {
      return Optional.empty();
    }
    CheckRun run = new CheckRun(id, url, own, mayAsk, trials, bounds, timer);
    synchronized (this) {
      newest.put(url, id);
    }
    kept.put(id, run);
    var unused = run.done().whenComplete((nothing, failure) -> ended(run, place.get()));
    try {
      threads.execute(() -> run(run));
    } catch (RejectedExecutionException e) {
      kept.invalidate(id);
      run.fail();
      throw e;
    }
    return find(id);
  }

  /** The newest check of a feed, if it began within a minute. */
  public Optional<FeedCheck> recent(String url) {
    return newest(url)
        .filter(check -> check.startedAt().plus(REUSED).isAfter(clock.instant()) || !check.ended());
  }

  /** The newest check of a feed that is kept. */
  public Optional<FeedCheck> newest(String url) {
    String id;
    synchronized (this) {
      id = newest.get(url);
    }
    return id == null ? Optional.empty() : find(id);
  }

  /** A check as it stands. */
  public Optional<FeedCheck> find(String id) {
    return Optional.ofNullable(kept.getIfPresent(id))
        .map(run -> run.view(publicUrl + PATH + id, KEPT));
  }

  private void run(CheckRun run) {
    try {
      run.run(look, random, probe -> tokens.put(probe.trial().token(), new Token(run, probe)));
    } catch (RuntimeException e) {
      log.atError().setCause(e).addKeyValue("feed", run.url()).log("A check of a feed failed");
      run.fail();
    }
  }

  private void ended(CheckRun run, Places.Place place) {
    place.close();
    FeedCheck check = run.view("", KEPT);
    log.atInfo()
        .addKeyValue("feed", check.url())
        .addKeyValue("verdict", check.verdict())
        .log("A feed was checked for its publisher");
  }

  private void removed(@Nullable String id, @Nullable CheckRun run, RemovalCause cause) {
    if (run != null) {
      run.stop();
      tokens.values().removeIf(token -> token.run() == run);
      synchronized (this) {
        newest.remove(run.url(), id);
      }
    }
  }

  @Override
  public boolean knows(String token) {
    return tokens.containsKey(token);
  }

  @Override
  public Optional<String> verify(String token, IntentRequest.Verify question) {
    Token found = tokens.get(token);
    if (found == null) {
      return Optional.empty();
    }
    boolean done = found.run().isDone();
    SubscriptionMode expected = done ? SubscriptionMode.UNSUBSCRIBE : SubscriptionMode.SUBSCRIBE;
    if (!found.probe().isHub() || !trials.isExpected(found.probe().trial(), expected, question)) {
      return Optional.empty();
    }
    if (!done) {
      found.probe().confirmed.complete("");
    }
    return Optional.of(question.challenge());
  }

  @Override
  public void denied(String token, String reason) {
    Token found = tokens.get(token);
    if (found != null) {
      found
          .probe()
          .confirmed
          .complete("it denied the subscription" + (reason.isEmpty() ? "" : ": " + reason));
    }
  }

  @Override
  public boolean isTested(String token) {
    Token found = tokens.get(token);
    return found != null && !found.probe().isHub() && !found.run().isDone();
  }

  @Override
  public boolean delivered(String token, @Nullable String signature, byte[] body) {
    Token found = tokens.get(token);
    if (found == null || found.run().isDone()) {
      return false;
    }
    String secret = found.probe().trial().secret();
    found.probe().delivered.complete(secret == null || Signature.verify(signature, secret, body));
    return true;
  }

  /** Ends all checks. */
  @Override
  public void close() {
    kept.asMap().values().forEach(CheckRun::stop);
  }
}
