package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Outcome;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Update;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes work and does it, several feeds at once and each feed serially (rule L2): one fetch for any
 * number of light pings, none for a fat one.
 */
public final class Ingest implements AutoCloseable {

  /** Feeds worked on at once. */
  public static final int WORKERS = 16;

  /** How long work rests that could not be done, because of a full disk, say. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  private static final Duration FOREVER = Duration.ofDays(1);

  private static final Logger log = LoggerFactory.getLogger(Ingest.class);

  private final Work work;
  private final Store store;
  private final Executor workers;
  private final Timer timer;
  private final Meters meters;
  private final Fetcher fetcher;
  private final Digest digest;
  private final Pump pump;

  /** Assignments under way; guarded by this. */
  private int busy;

  /**
   * Wires the stage; {@link #start} starts it.
   *
   * @param workers where the pump and the work run; both block
   */
  public Ingest(
      Work work,
      Store store,
      OutboundClient client,
      Executor workers,
      Timer timer,
      Meters meters,
      Cadence cadence,
      String userAgent) {
    this.work = work;
    this.store = store;
    this.workers = workers;
    this.timer = timer;
    this.meters = meters;
    fetcher = new Fetcher(client, userAgent, timer.clock());
    digest = new Digest(store, cadence);
    pump = new Pump("ingest", this::handOut, workers, timer);
  }

  /** Does the work that is there, then whatever comes. */
  public void start() {
    work.onAdded(pump::wake);
    pump.start();
  }

  private Optional<Instant> handOut() {
    int free;
    synchronized (this) {
      free = WORKERS - busy;
    }
    for (Assignment assignment : work.take(free)) {
      synchronized (this) {
        busy++;
      }
      workers.execute(() -> work(assignment));
    }
    return Optional.empty();
  }

  private void work(Assignment assignment) {
    Instant again = timer.clock().instant();
    try {
      perform(assignment);
    } catch (RuntimeException e) {
      again = again.plus(PAUSE_AFTER_FAILURE);
      log.atError()
          .addKeyValue("feed", assignment.feedId())
          .setCause(e)
          .log("Work on a feed failed, it will be repeated");
    } finally {
      work.giveBack(assignment);
      synchronized (this) {
        busy--;
        notifyAll();
      }
      timer.at(again, pump::wake);
    }
  }

  private void perform(Assignment assignment) {
    Instant now = timer.clock().instant();
    FollowedFeed feed =
        store
            .feeds()
            .byId(assignment.feedId())
            .orElseThrow(() -> new IllegalStateException("work for a feed that does not exist"));
    outcome(assignment, feed, now).ifPresent(this::record);
  }

  /** What came of the work; empty if the gateway stopped in the middle of it. */
  private Optional<Outcome> outcome(Assignment assignment, FollowedFeed feed, Instant now) {
    Via via = via(assignment.items());
    if (!feed.followed()) {
      return Optional.of(
          new Outcome(assignment.position(), feed, now, via, List.of(), null, List.of()));
    }
    if (assignment.items().get(0) instanceof WorkItem.Fat fat) {
      Optional<Outcome> taken = digest.fat(assignment.position(), feed, fat, now);
      if (taken.isPresent()) {
        return taken;
      }
    }
    FetchResult result = fetcher.fetch(feed);
    if (result instanceof FetchResult.CutOff) {
      return Optional.empty();
    }
    count(result);
    return Optional.of(
        digest.fetched(assignment.position(), feed, result, via, timer.clock().instant()));
  }

  /** A ping counts for more than the poll timer: changed bytes after it are news (DESIGN §1). */
  private static Via via(List<WorkItem> items) {
    return items.stream().map(WorkItem::via).filter(Via::isPing).findFirst().orElse(Via.POLL);
  }

  private void record(Outcome outcome) {
    store.feeds().record(outcome).join();
    for (Update update : outcome.updates()) {
      meters.event(outcome.via(), update.feed().entries().size(), update.changed().size());
    }
    if (!outcome.updates().isEmpty()) {
      log.atInfo()
          .addKeyValue("feed", outcome.feed().topic())
          .addKeyValue("via", outcome.via())
          .addKeyValue("events", outcome.updates().size())
          .log("A feed changed");
    }
  }

  private void count(FetchResult result) {
    if (result instanceof FetchResult.Fresh fresh) {
      meters.fetch(Meters.Fetch.FRESH, fresh.took());
    } else if (result instanceof FetchResult.NotModified same) {
      meters.fetch(Meters.Fetch.UNCHANGED, same.took());
    } else {
      meters.fetch(Meters.Fetch.FAILED, Duration.ZERO);
    }
  }

  /** Takes no more work, and waits at most so long for what is under way. */
  public void stop(Duration atMost) {
    pump.close();
    Waits.until(this, () -> busy == 0, atMost);
  }

  /** Takes no more work and waits for what is under way. */
  @Override
  public void close() {
    stop(FOREVER);
  }
}
