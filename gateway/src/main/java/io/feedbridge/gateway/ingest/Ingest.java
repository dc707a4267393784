package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.failpoint.Failpoint;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes work and does it, several feeds at once and each feed serially (rule L2): one fetch for any
 * number of light pings, none for a fat one.
 */
public final class Ingest implements AutoCloseable {

  /** Feeds worked on at once. */
  public static final int WORKERS = 16;

  /** How long work rests that could not be done, because of a full disk, say; then ever longer. */
  private static final Duration FIRST_REST = Duration.ofSeconds(1);

  private static final Duration LONGEST_REST = Duration.ofMinutes(5);
  private static final int MAX_DOUBLINGS = 9;

  private static final Duration FOREVER = Duration.ofDays(1);

  private static final Logger log = LoggerFactory.getLogger(Ingest.class);

  private final Work work;
  private final Store store;
  private final ActivityLog activity;
  private final Executor workers;
  private final Timer timer;
  private final Meters meters;
  private final Fetcher fetcher;
  private final SharedFetches shared;
  private final Digest digest;
  private final Pump pump;

  /** How often in a row the work of a feed failed; feeds whose work succeeds are not in it. */
  private final Map<Long, Integer> failures = new ConcurrentHashMap<>();

  /** Assignments under way; guarded by this. */
  private int busy;

  /**
   * Wires the stage; {@link #start} starts it.
   *
   * @param own what is read in the process
   * @param workers where the pump and the work run; both block
   */
  public Ingest(
      Work work,
      Store store,
      OutboundClient client,
      LocalTopics own,
      ActivityLog activity,
      Executor workers,
      Timer timer,
      Meters meters,
      Cadence cadence,
      String userAgent) {
    this.work = work;
    this.store = store;
    this.activity = activity;
    this.workers = workers;
    this.timer = timer;
    this.meters = meters;
    fetcher = new Fetcher(client, own, userAgent, timer.clock());
    shared = new SharedFetches(store.feeds(), timer.clock());
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
      try {
        workers.execute(() -> work(assignment));
      } catch (RejectedExecutionException stopping) {
        ended();
        work.giveBack(assignment);
      }
    }
    return Optional.empty();
  }

  private void work(Assignment assignment) {
    try {
      perform(assignment);
      failures.remove(assignment.feedId());
      work.giveBack(assignment);
    } catch (RuntimeException | Error e) {
      // An error too (the memory that a hostile feed needed, say): the work is still to be done.
      rest(assignment, e);
    } finally {
      ended();
      pump.wake();
    }
  }

  /**
   * Keeps the assignment out for a while, so that nothing that wakes the stage repeats at once what
   * has just failed: each try costs the origin a fetch.
   */
  private void rest(Assignment assignment, Throwable failure) {
    int times = failures.merge(assignment.feedId(), 1, Integer::sum);
    Duration pause = FIRST_REST.multipliedBy(1L << Math.min(times - 1, MAX_DOUBLINGS));
    Duration rest = pause.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : pause;
    log.atError()
        .addKeyValue("feed", assignment.feedId())
        .addKeyValue("again", rest)
        .setCause(failure)
        .log("Work on a feed failed, it will be repeated");
    timer.at(
        timer.clock().instant().plus(rest),
        () -> {
          work.giveBack(assignment);
          pump.wake();
        });
  }

  private synchronized void ended() {
    busy--;
    notifyAll();
  }

  private void perform(Assignment assignment) {
    outcome(assignment, feed(assignment)).ifPresent(this::record);
  }

  private FollowedFeed feed(Assignment assignment) {
    return store
        .feeds()
        .byId(assignment.feedId())
        .orElseThrow(() -> new IllegalStateException("work for a feed that does not exist"));
  }

  /** What came of the work; empty if the gateway stopped in the middle of it. */
  private Optional<Outcome> outcome(Assignment assignment, FollowedFeed feed) {
    Via via = via(assignment.items());
    if (!feed.followed()) {
      return Optional.of(digest.unwanted(assignment.position(), feed, via, now()));
    }
    if (assignment.items().get(0) instanceof WorkItem.Fat fat) {
      Optional<Outcome> taken = digest.fat(assignment.position(), feed, fat, now());
      if (taken.isPresent()) {
        return taken;
      }
    }
    Optional<FetchResult> fetchedByAnother = shared.take(feed, assignment.items());
    FetchResult result = fetchedByAnother.isPresent() ? fetchedByAnother.get() : fetch(feed);
    if (result instanceof FetchResult.CutOff) {
      return Optional.empty();
    }
    // A fetch takes its time: it is compared with what the feed is by now. Let go of meanwhile, the
    // feed is left alone; followed again, it gets its baseline from it (rule L11).
    FollowedFeed since = feed(assignment);
    if (!since.followed()) {
      return Optional.of(digest.unwanted(assignment.position(), since, via, now()));
    }
    boolean polled = assignment.items().stream().anyMatch(item -> !item.via().isPing());
    return Optional.of(
        digest.fetched(new Digest.Look(assignment.position(), since, via, polled, now()), result));
  }

  private FetchResult fetch(FollowedFeed feed) {
    Instant sent = now();
    FetchResult result = fetcher.fetch(feed);
    if (!(result instanceof FetchResult.CutOff)) {
      Failpoint.AFTER_FETCH.reached();
      count(result);
      note(feed, result);
      // Lost with the process, this costs the others a poll of their own.
      for (long other : shared.offer(feed, result, sent)) {
        work.add(new WorkItem.Light(other, Via.POLL, sent)).join();
      }
    }
    return result;
  }

  private Instant now() {
    return timer.clock().instant();
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

  private void note(FollowedFeed feed, FetchResult result) {
    String outcome;
    boolean success = true;
    if (result instanceof FetchResult.Fresh fresh) {
      outcome = "HTTP %d, %d bytes".formatted(fresh.code(), fresh.body().length);
    } else if (result instanceof FetchResult.NotModified) {
      outcome = "not modified";
    } else {
      success = false;
      outcome = result instanceof FetchResult.Failed failed ? failed.message() : "gone";
    }
    activity.note(Kind.FETCH, feed.topic(), feed.url(), success, outcome);
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
