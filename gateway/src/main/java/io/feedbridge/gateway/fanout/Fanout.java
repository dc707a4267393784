package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.Round;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The fan-out: finds feeds whose head is past their last round and walks them, several at once, and
 * serves laggards beside that.
 */
public final class Fanout implements AutoCloseable {

  /** Threads that walks, those of them that rest, pumps and what is read again need together. */
  public static final int THREADS = Walks.MAX_TURNS + 8;

  /** How long a round rests that could not be walked, because of a full disk, say. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  /** Longer than a walk waits for its last answers. */
  private static final Duration STOP_WAIT = RoundWalk.LONGEST_END.plusMillis(500);

  private final Store store;
  private final OutboundClient client;
  private final Timer timer;
  private final Clock clock;
  private final Meters meters;
  private final Documents documents;
  private final Deliveries deliveries;
  private final HostWindows windows;
  private final Settlement settlement;
  private final Replays replays;
  private final CatchUp catchUp;
  private final Resting resting;
  private final Walks walks;
  private final Pump roundPump;
  private final Pump laggardPump;
  private final Pump jumpPump;
  private final Recipients recipients;
  private final EndpointPost endpointPost;
  private final ActivityLog activity;
  private final RandomGenerator random;
  private volatile boolean closed;

  /**
   * Wires the fan-out; {@link #start} starts it.
   *
   * @param executor for walks and pumps, which block; has at least {@link #THREADS} threads
   * @param connectionsPerHost deliveries to one host at once
   * @param hubUrl the hub's own URL, as deliveries name it
   */
  public Fanout(
      Store store,
      OutboundClient client,
      Executor executor,
      Timer timer,
      RandomGenerator random,
      Meters meters,
      Attempts attempts,
      ActivityLog activity,
      int connectionsPerHost,
      String hubUrl,
      String userAgent) {
    this.store = store;
    this.client = client;
    this.timer = timer;
    this.meters = meters;
    this.activity = activity;
    this.random = random;
    clock = timer.clock();
    endpointPost = new EndpointPost(client, meters, attempts, activity, clock, userAgent);
    documents = new Documents(store);
    deliveries =
        new Deliveries(
            client,
            new WebSubCourier(hubUrl, userAgent, random),
            new RssCloudCourier(userAgent, random),
            meters,
            attempts,
            activity,
            clock);
    windows = new HostWindows(HostWindows.Bounds.of(connectionsPerHost), timer, random);
    meters.gauge(
        "feedbridge.hosts.open", "Hosts that do not answer and are only probed", windows::open);
    settlement = new Settlement(store, timer);
    replays = new Replays(store.feeds());
    catchUp =
        new CatchUp(
            store, documents, deliveries, windows, settlement, clock, this::lookForLaggards);
    resting = new Resting(executor);
    walks = new Walks(executor, resting, this::walk, this::ended);
    roundPump = new Pump("rounds", this::fillWalks, executor, timer);
    laggardPump = new Pump("laggards", catchUp::step, executor, timer);
    recipients = new Recipients(store, executor);
    Jumps jumps = new Jumps(store.laggards(), meters, clock);
    jumpPump = new Pump("jumps", jumps::step, executor, timer);
  }

  /**
   * Those who serve the endpoints of webhooks, with the same places for what is in flight, so that
   * one host is one host to all of them.
   *
   * @param pumps for their pump, which blocks
   * @param workers for rendering and signing, with room for a task of each endpoint
   */
  public Endpoints endpoints(LogFollowers followers, Executor pumps, Executor workers) {
    Endpoints endpoints =
        new Endpoints(
            store,
            followers,
            new EndpointSink.Means(
                windows,
                new EndpointDocuments(store),
                endpointPost,
                store.webhooks(),
                activity,
                workers,
                timer),
            pumps,
            random);
    meters.gauge("feedbridge.webhooks", "Endpoints that are served", endpoints::count);
    return endpoints;
  }

  private void lookForLaggards() {
    laggardPump.wake();
  }

  /** Resumes what a stop left open, then serves what is due from now on. Blocks shortly. */
  public void start() {
    store.laggards().landAll().join();
    Failpoint.MID_RECOVERY.reached();
    store.onChange(Change.APPENDED, roundPump::wake);
    store.laggards().onDue(catchUp::due);
    recipients.start();
    jumpPump.start();
    roundPump.start();
    laggardPump.start();
  }

  /**
   * Makes a subscriber that is behind due at once, as somebody asked for by hand; nothing where it
   * is not behind or a request is under way. Its failures stay counted.
   *
   * @return whether it is due now; completes once that is durable
   */
  public CompletableFuture<Boolean> retry(long subscriptionId) {
    return store.laggards().retry(subscriptionId, clock.instant()).thenApply(Optional::isPresent);
  }

  /**
   * Has a subscriber sent its last notifications once more, in order, signed as it wants them now.
   *
   * @param count of them at most; of the topic's own bytes only the newest are there
   * @return completes once that is durable; there may be none any more. Blocks
   */
  public CompletableFuture<Void> replay(Subscription subscription, int count) {
    return replays
        .range(subscription, count)
        .map(
            range ->
                store.laggards().replay(subscription, range.after(), range.upTo(), clock.instant()))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  private Optional<Instant> fillWalks() {
    walks.fill(after -> store.rounds().due(after, Walks.PAGE));
    return Optional.empty();
  }

  /**
   * The walk of the feed's open round, or its next. Looks only now that nobody else walks the feed:
   * when the pump saw it as due, a walk may just have been about to close its round (rule L2).
   */
  private Optional<RoundWalk> walk(long feedId) {
    // None is open, unless one was cut off.
    Optional<Round> opened = store.rounds().open(feedId, clock.instant()).join();
    return opened
        .or(() -> store.rounds().current(feedId))
        .map(
            round -> {
              Failpoint.ROUND_OPENED.reached();
              Tally tally = new Tally(windows::isFull, client::heardOut);
              Progress progress =
                  new Progress(
                      round, opened.isEmpty(), store.rounds(), tally, settlement, meters, clock);
              return new RoundWalk(
                  progress,
                  tally,
                  store.rounds(),
                  new RoundRequests(round, recipients, documents, deliveries),
                  windows,
                  settlement,
                  clock,
                  resting,
                  () -> closed);
            });
  }

  private void ended(boolean failed) {
    if (failed) {
      timer.at(clock.instant().plus(PAUSE_AFTER_FAILURE), roundPump::wake);
    } else {
      roundPump.wake();
    }
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Begins no more deliveries and waits, for a few seconds, until the rounds under way have reached
   * a checkpoint and the requests under way are answered.
   */
  @Override
  public void close() {
    closed = true;
    roundPump.close();
    laggardPump.close();
    jumpPump.close();
    catchUp.close();
    long end = System.nanoTime() + STOP_WAIT.toNanos();
    walks.close(STOP_WAIT);
    windows.awaitEmpty(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
  }
}
