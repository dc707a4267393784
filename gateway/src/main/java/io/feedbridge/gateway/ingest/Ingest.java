package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.ingest.FetchScheduler.Slot;
import io.feedbridge.gateway.ingest.digest.Digest;
import io.feedbridge.gateway.ingest.digest.PollSchedule;
import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.fetch.Origins;
import io.feedbridge.gateway.ingest.hosts.FetchedHost;
import io.feedbridge.gateway.ingest.hosts.HostPauses;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import io.feedbridge.gateway.ingest.throttle.FetchBudgets;
import io.feedbridge.gateway.ingest.throttle.PingBursts;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes work and has it done, several feeds at once and each feed serially (rule L2): one fetch for
 * any number of light pings, none for a fat one. {@link RefreshFeed} does the work; its outcome
 * decides here whether the assignment is done, put off or tried again.
 */
public final class Ingest implements AutoCloseable {

  /** Threads: feeds that are digested at once. */
  public static final int WORKERS = 16;

  /**
   * The pause before a document is fetched again for which there was no room; some seconds may be
   * added.
   */
  public static final Duration NO_ROOM_PAUSE = RefreshFeed.NO_ROOM_PAUSE;

  private static final Duration FOREVER = Duration.ofDays(1);

  private static final Logger log = LoggerFactory.getLogger(Ingest.class);

  private final Work work;
  private final Executor workers;
  private final Timer timer;
  private final PollSchedule pollSchedule;
  private final Origins origins;
  private final FetchScheduler scheduler;
  private final RefreshFeed refresh;

  /** Whether work was added since the last look for pings of waiting polls. */
  private final AtomicBoolean added = new AtomicBoolean();

  private final Pump pump;
  private final FailedWork failed = new FailedWork();

  private volatile boolean stopping;

  /**
   * Wires the stage; {@link #start} starts it. Blocks on storage.
   *
   * @param workers where the pump and the work run; both block
   * @param politeness how origins are treated
   */
  public Ingest(
      Work work,
      Store store,
      Fetcher fetcher,
      FetchReports reports,
      Executor workers,
      Timer timer,
      PollSchedule pollSchedule,
      Politeness politeness) {
    this.work = work;
    this.workers = workers;
    this.timer = timer;
    this.pollSchedule = pollSchedule;
    FetchBudgets budgets =
        new FetchBudgets(
            politeness.firstFetches(), politeness.exempt(), store.feeds(), timer.clock());
    origins =
        new Origins(
            new HostPauses(pollSchedule.max(), timer.clock()),
            new SiteGate(politeness.paces(), store.sitePaces(), pollSchedule.max(), timer.clock()));
    scheduler =
        new FetchScheduler(
            work, fetcher.documents(), WORKERS, politeness.hostPause(), origins, timer);
    refresh =
        new RefreshFeed(
            new FeedRecords(store, work, reports, budgets),
            fetcher,
            budgets,
            new PingBursts(politeness.bursts(), timer.clock()),
            new SharedFetches(store.feeds(), timer.clock()),
            new Digest(store, pollSchedule),
            workers,
            timer.clock());
    pump = new Pump("ingest", this::handOut, workers, timer);
  }

  /** The hosts that were fetched from lately, in no order. */
  public List<FetchedHost> hosts() {
    return scheduler.hosts();
  }

  /** The pauses and the paces of origins. */
  public Origins origins() {
    return origins;
  }

  /** Does the work that is there, then whatever comes. */
  public void start() {
    work.onAdded(
        () -> {
          added.set(true);
          pump.wake();
        });
    pump.start();
  }

  private Optional<Instant> handOut() {
    if (added.getAndSet(false)) {
      scheduler.hurryPinged();
    }
    for (Assignment assignment : work.take(scheduler.free())) {
      Slot slot = scheduler.slot(FetchJob.of(assignment));
      try {
        workers.execute(() -> run(assignment, slot));
      } catch (RejectedExecutionException full) {
        slot.close();
        work.giveBack(assignment);
      }
    }
    return Optional.empty();
  }

  private void run(Assignment assignment, Slot slot) {
    try {
      Optional<Throwable> givenUp = failed.givenUp(assignment.feedId());
      if (givenUp.isPresent()) {
        ended(slot, giveUp(slot.job(), givenUp.get()));
      } else {
        var unused =
            refresh
                .refresh(assignment, failed.content(assignment), slot)
                .thenAccept(refreshed -> ended(slot, refreshed))
                .exceptionally(this::notEnded);
      }
    } finally {
      slot.leaveThread();
      pump.wake();
    }
  }

  /** Ends an assignment. Runs on a worker, unless the rest does not block. */
  private void ended(Slot slot, Refreshed refreshed) {
    FetchJob job = slot.job();
    Refreshed end = refreshed;
    try {
      if (refreshed instanceof Refreshed.Failed failure) {
        end = afterFailure(job, failure);
      }
    } finally {
      slot.close();
    }
    if (end instanceof Refreshed.CutOff || (end instanceof Refreshed.Later && stopping)) {
      return;
    }
    if (end instanceof Refreshed.Later later) {
      timer.at(later.at(), () -> giveBack(job));
      pump.wake();
      return;
    }
    if (!(end instanceof Refreshed.Overtaken)) {
      failed.over(job.feedId());
    }
    giveBack(job);
  }

  private @Nullable Void notEnded(Throwable failure) {
    log.atError().setCause(failure).log("A work item was left as it is until the next start");
    return null;
  }

  private void giveBack(FetchJob job) {
    work.giveBack(job.assignment());
    pump.wake();
  }

  /** Lets work rest that just failed, or gives it up: each try costs the origin a fetch. */
  private Refreshed afterFailure(FetchJob job, Refreshed.Failed failure) {
    if (failure.cause() instanceof RejectedExecutionException) {
      // It says nothing of the item.
      return stopping ? new Refreshed.CutOff() : new Refreshed.Later(refresh.roomBy(job.feedId()));
    }
    FailedWork.Next next = failed.failed(job.feedId(), failure.cause(), failure.ofContent());
    if (next instanceof FailedWork.Next.Again again) {
      log.atError()
          .addKeyValue("feed", job.feedId())
          .addKeyValue("again", again.rest())
          .setCause(failure.cause())
          .log("A work item of a feed failed and is tried again");
      return new Refreshed.Later(now().plus(again.rest()));
    }
    return giveUp(job, failure.cause());
  }

  private Refreshed giveUp(FetchJob job, Throwable cause) {
    try {
      Instant again = now().plus(pollSchedule.max());
      refresh.giveUp(job, cause, again);
      log.atError()
          .addKeyValue("feed", job.feedId())
          .addKeyValue("tries", FailedWork.MAX_TRIES)
          .setCause(cause)
          .log("A work item of a feed failed each time and is recorded as a failed fetch");
      return new Refreshed.PutOff(again);
    } catch (RuntimeException | Error e) {
      Duration rest = failed.notRecorded(job.feedId());
      log.atError()
          .addKeyValue("feed", job.feedId())
          .addKeyValue("again", rest)
          .setCause(e)
          .log("A failed fetch could not be recorded yet");
      return new Refreshed.Later(now().plus(rest));
    }
  }

  private Instant now() {
    return timer.clock().instant();
  }

  /** Takes no more work, and waits at most so long for the work in progress. */
  public void stop(Duration atMost) {
    stopping = true;
    pump.close();
    scheduler.close();
    scheduler.awaitIdle(atMost);
  }

  /** Takes no more work and waits for the work in progress. */
  @Override
  public void close() {
    stop(FOREVER);
  }
}
