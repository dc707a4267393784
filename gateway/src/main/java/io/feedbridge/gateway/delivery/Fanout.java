package io.feedbridge.gateway.delivery;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.delivery.hosts.CalledHost;
import io.feedbridge.gateway.delivery.hosts.DeliveryBounds;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.laggards.CatchUp;
import io.feedbridge.gateway.delivery.laggards.Settlement;
import io.feedbridge.gateway.delivery.rounds.RoundPasses;
import io.feedbridge.gateway.delivery.send.DeliveryReports;
import io.feedbridge.gateway.delivery.send.EventDocuments;
import io.feedbridge.gateway.delivery.send.Recipients;
import io.feedbridge.gateway.delivery.send.Resends;
import io.feedbridge.gateway.delivery.send.RssCloudAdapter;
import io.feedbridge.gateway.delivery.send.Sender;
import io.feedbridge.gateway.delivery.send.WebSubAdapter;
import io.feedbridge.gateway.delivery.webhooks.EndpointDocuments;
import io.feedbridge.gateway.delivery.webhooks.EndpointPost;
import io.feedbridge.gateway.delivery.webhooks.EndpointSink;
import io.feedbridge.gateway.delivery.webhooks.Endpoints;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.log.LogFollowers;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Stopping;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The fan-out: finds feeds whose head is past their last round, runs passes over several of them at
 * once, and serves laggards beside that.
 */
public final class Fanout implements AutoCloseable {

  /**
   * Threads that running passes, parked passes, pumps and the reading of recipients need together.
   */
  public static final int THREADS = RoundPasses.MAX_TURNS + 8;

  /** How long a round rests after its pass has failed, because of a full disk, say. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  private final Store store;
  private final Timer timer;
  private final Clock clock;
  private final Meters meters;
  private final Resends resends;
  private final HostBulkheads windows;
  private final Replays replays;
  private final CatchUp catchUp;
  private final RoundPasses passes;
  private final Pump roundPump;
  private final Pump laggardPump;
  private final Pump jumpPump;
  private final Recipients recipients;
  private final EndpointPost endpointPost;
  private final ActivityLog activity;
  private final RandomGenerator random;

  /** Longer than a pass waits for its last answers. */
  private final Stopping stopping = new Stopping(RoundPasses.LONGEST_END.plusMillis(500));

  /**
   * Wires the fan-out; {@link #start} starts it.
   *
   * @param executor for passes and pumps, which block; has at least {@link #THREADS} threads
   * @param reports for operators
   * @param connectionsPerHost deliveries to one host at once
   * @param urls the hub's own URL, as deliveries name it, and the URLs of bridged feeds
   */
  public Fanout(
      Store store,
      OutboundClient client,
      Executor executor,
      Timer timer,
      RandomGenerator random,
      DeliveryReports reports,
      int connectionsPerHost,
      BridgedUrls urls) {
    this.store = store;
    this.timer = timer;
    meters = reports.meters();
    activity = reports.activity();
    this.random = random;
    clock = timer.clock();
    Sender sender =
        new Sender(
            client, new WebSubAdapter(urls, random), new RssCloudAdapter(random), reports, clock);
    endpointPost = new EndpointPost(sender, meters, clock);
    EventDocuments documents = new EventDocuments(store, urls);
    resends = new Resends(documents, sender);
    windows = new HostBulkheads(DeliveryBounds.of(connectionsPerHost), timer, random);
    meters.gauge(
        "feedbridge.hosts.open", "Hosts that do not answer and are only probed", windows::open);
    Settlement settlement = new Settlement(store, timer, reports);
    replays = new Replays(store.feeds());
    catchUp =
        new CatchUp(store, documents, sender, windows, settlement, clock, this::lookForLaggards);
    roundPump = new Pump("rounds", this::fillWalks, executor, timer);
    laggardPump = new Pump("laggards", catchUp::step, executor, timer);
    recipients = new Recipients(store, executor);
    passes =
        new RoundPasses(
            executor,
            new RoundPasses.Means(
                store.rounds(),
                recipients,
                documents,
                sender,
                windows,
                settlement,
                meters,
                clock,
                stopping::hasBegun),
            this::ended);
    Jumps jumps = new Jumps(store.laggards(), reports, clock);
    jumpPump = new Pump("jumps", jumps::step, executor, timer);
  }

  /** The hosts of callbacks of which something is known, in no order. */
  public List<CalledHost> hosts() {
    return windows.standings();
  }

  /**
   * Makes the part that serves the endpoints of webhooks. It takes its places from the fan-out's
   * bulkheads, so that the bound of a host holds for all deliveries together.
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

  /**
   * Resumes rounds that a stop left open, then serves feeds and laggards from now on. Blocks
   * shortly.
   */
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
   * Makes a subscriber that is behind due at once, at an operator's request. Does nothing where the
   * subscriber is not behind or a request to it is under way. Its failures stay counted.
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

  /** Single events that are sent once more. */
  public Resends resends() {
    return resends;
  }

  private Optional<Instant> fillWalks() {
    passes.fill(after -> store.rounds().due(after, RoundPasses.PAGE));
    return Optional.empty();
  }

  private void ended(boolean failed) {
    if (failed) {
      timer.at(clock.instant().plus(PAUSE_AFTER_FAILURE), roundPump::wake);
    } else {
      roundPump.wake();
    }
  }

  boolean isClosed() {
    return stopping.hasBegun();
  }

  /**
   * Begins no more deliveries. The wait of {@link #close} counts from here on. Repeating it does
   * nothing. Blocks while a pump takes a step.
   */
  public void stop() {
    stopping.begin();
    roundPump.close();
    laggardPump.close();
    jumpPump.close();
    catchUp.close();
  }

  /**
   * Begins no more deliveries and waits, for a few seconds, until the rounds under way have reached
   * a checkpoint and the requests under way are answered.
   */
  @Override
  public void close() {
    stop();
    passes.close(stopping.left());
    windows.awaitEmpty(stopping.left());
  }
}
