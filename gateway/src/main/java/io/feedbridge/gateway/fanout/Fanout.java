package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.Round;
import io.feedbridge.gateway.store.Store;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fan-out: finds feeds whose head is past their last round and walks them, several at once, and
 * serves laggards beside that.
 */
public final class Fanout implements AutoCloseable {

  /** Rounds walked at once; the others wait in the store. */
  static final int MAX_WALKS = 8;

  /** Threads that walks and pumps need together. */
  public static final int THREADS = MAX_WALKS + 2;

  /** How long a round rests that could not be walked, because of a full disk, say. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  /** Longer than a walk waits for its last answers. */
  private static final Duration STOP_WAIT = RoundWalk.LONGEST_WAIT.plusMillis(500);

  private static final Logger log = LoggerFactory.getLogger(Fanout.class);

  private final Store store;
  private final Executor executor;
  private final Timer timer;
  private final Clock clock;
  private final Documents documents;
  private final Deliveries deliveries;
  private final HostWindows windows;
  private final Settlement settlement;
  private final Pump roundPump;
  private final Pump laggardPump;

  /** Feeds whose round is being walked; guarded by itself. */
  private final Set<Long> walking = new HashSet<>();

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
      int connectionsPerHost,
      String hubUrl,
      String userAgent) {
    this.store = store;
    this.executor = executor;
    this.timer = timer;
    clock = timer.clock();
    documents = new Documents(store.feeds());
    deliveries =
        new Deliveries(
            client,
            new WebSubCourier(hubUrl, userAgent, clock),
            new RssCloudCourier(userAgent, clock),
            meters);
    windows = new HostWindows(connectionsPerHost, this::roomAtHost);
    settlement = new Settlement(store, new BackOff(random), timer);
    CatchUp catchUp =
        new CatchUp(store, documents, deliveries, windows, settlement, clock, this::roomAtHost);
    roundPump = new Pump("rounds", this::startWalks, executor, timer);
    laggardPump = new Pump("laggards", catchUp::step, executor, timer);
  }

  private void roomAtHost() {
    laggardPump.wake();
  }

  /** Resumes what a stop left open, then serves what is due from now on. Blocks shortly. */
  public void start() {
    store.laggards().landAll().join();
    Failpoint.MID_RECOVERY.reached();
    store.onChange(Change.APPENDED, roundPump::wake);
    store.onChange(Change.LAGGARD, laggardPump::wake);
    roundPump.start();
    laggardPump.start();
  }

  private Optional<Instant> startWalks() {
    store.rounds().open().forEach(round -> startWalk(round.feedId()));
    store.rounds().due(MAX_WALKS).forEach(this::startWalk);
    return Optional.empty();
  }

  private void startWalk(long feedId) {
    synchronized (walking) {
      if (closed || walking.size() >= MAX_WALKS || !walking.add(feedId)) {
        return;
      }
    }
    try {
      executor.execute(() -> walk(feedId));
    } catch (RejectedExecutionException e) {
      ended(feedId);
      throw e;
    }
  }

  private void walk(long feedId) {
    boolean interrupted = true;
    try {
      round(feedId).ifPresent(this::walk);
      interrupted = false;
    } catch (RuntimeException e) {
      // The round stays open in the store and is resumed at its checkpoint.
      log.atError().addKeyValue("feed", feedId).setCause(e).log("A round was interrupted");
    } finally {
      ended(feedId);
      if (interrupted) {
        timer.at(clock.instant().plus(PAUSE_AFTER_FAILURE), roundPump::wake);
      } else {
        roundPump.wake();
      }
    }
  }

  private void ended(long feedId) {
    synchronized (walking) {
      walking.remove(feedId);
      walking.notifyAll();
    }
  }

  /**
   * The feed's open round, or its next. Looks only now that nobody else walks the feed: when the
   * pump saw it as open, a walk may just have been about to close it (rule L2).
   */
  private Optional<Round> round(long feedId) {
    Optional<Round> open =
        store.rounds().open().stream().filter(round -> round.feedId() == feedId).findFirst();
    return open.isPresent() ? open : store.rounds().open(feedId, clock.instant()).join();
  }

  private void walk(Round round) {
    Failpoint.ROUND_OPENED.reached();
    Optional<Bundle> bundle = documents.bundle(round.feedId(), round.from(), round.to());
    if (bundle.isEmpty()) {
      store.rounds().close(round, List.of()).join();
      return;
    }
    new RoundWalk(
            round,
            bundle.get(),
            store.rounds(),
            deliveries,
            windows,
            settlement,
            clock,
            () -> closed)
        .run();
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
    long end = System.nanoTime() + STOP_WAIT.toNanos();
    Waits.until(walking, walking::isEmpty, STOP_WAIT);
    windows.awaitEmpty(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
  }
}
