package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.activity.ActivityLog;
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
 * number of light pings, none for a fat one. Fetches hold no thread; how many there are at once,
 * and from which host, is the {@link HostGate}'s to say.
 */
public final class Ingest implements AutoCloseable {

  /** Threads: feeds that are digested at once. */
  public static final int WORKERS = 16;

  /** Feeds that wait to be fetched or are being fetched; no more work is taken beside them. */
  static final int MAX_FETCHES = HostGate.MAX_WAITING + HostGate.AT_ONCE;

  /** How long work rests that could not be done, because of a full disk, say; then ever longer. */
  private static final Duration FIRST_REST = Duration.ofSeconds(1);

  private static final Duration LONGEST_REST = Duration.ofMinutes(5);
  private static final int MAX_DOUBLINGS = 9;

  /** When a document is fetched again for which there was no room, and some seconds later. */
  static final Duration NO_ROOM_PAUSE = Duration.ofSeconds(10);

  private static final Duration FOREVER = Duration.ofDays(1);

  private static final Logger log = LoggerFactory.getLogger(Ingest.class);

  private final Work work;
  private final Store store;
  private final Executor workers;
  private final Timer timer;
  private final Meters meters;
  private final Cadence cadence;
  private final Fetcher fetcher;
  private final Documents documents;
  private final FetchReports reports;
  private final SharedFetches shared;
  private final PingBursts bursts;
  private final HostGate gate;
  private final Digest digest;
  private final Pump pump;

  /** How often in a row the work of a feed failed; feeds whose work succeeds are not in it. */
  private final Map<Long, Integer> failures = new ConcurrentHashMap<>();

  /** Assignments on a thread; guarded by this. */
  private int busy;

  /** Assignments that wait for the gate; guarded by this. */
  private int waiting;

  /** Assignments whose documents are fetched or held and not digested; guarded by this. */
  private int fetching;

  /**
   * Wires the stage; {@link #start} starts it.
   *
   * @param workers where the pump and the work run; both block
   * @param manners how origins are treated
   */
  public Ingest(
      Work work,
      Store store,
      Fetcher fetcher,
      ActivityLog activity,
      Executor workers,
      Timer timer,
      Meters meters,
      Cadence cadence,
      Manners manners) {
    this.work = work;
    this.store = store;
    this.workers = workers;
    this.timer = timer;
    this.meters = meters;
    this.cadence = cadence;
    this.fetcher = fetcher;
    documents = fetcher.documents();
    reports = new FetchReports(meters, activity);
    shared = new SharedFetches(store.feeds(), timer.clock());
    bursts = new PingBursts(manners.bursts(), timer.clock());
    gate = new HostGate(manners.hostPause(), cadence.max(), timer);
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
      free = waiting + fetching < MAX_FETCHES ? WORKERS - busy : 0;
    }
    for (Assignment assignment : work.take(free)) {
      synchronized (this) {
        busy++;
      }
      try {
        workers.execute(() -> work(assignment));
      } catch (RejectedExecutionException stopping) {
        synchronized (this) {
          busy--;
          notifyAll();
        }
        work.giveBack(assignment);
      }
    }
    return Optional.empty();
  }

  private void work(Assignment assignment) {
    try {
      if (assignment.items().get(0) instanceof WorkItem.Fat fat
          && fat.body().length > Documents.USUAL) {
        beginLong(assignment, fat.body().length);
      } else {
        begin(assignment);
      }
    } catch (RuntimeException | Error e) {
      // An error too (the memory that a hostile feed needed, say): the work is still to be done.
      rest(assignment, e);
    } finally {
      synchronized (this) {
        busy--;
        notifyAll();
      }
      pump.wake();
    }
  }

  /** A delivery of much content waits for the memory that it takes. */
  private void beginLong(Assignment assignment, int bytes) {
    Errand errand = Errand.of(assignment);
    Documents.Held held = documents.hold();
    if (!held.take(bytes)) {
      handOutAgain(errand.assignment(), roomBy(errand));
      return;
    }
    onceDigestible(errand, counted(held), bytes, () -> begin(assignment));
  }

  /** Does what needs no fetch, and asks for one where it does. */
  private void begin(Assignment assignment) {
    FollowedFeed feed = feed(assignment.feedId());
    Errand errand = Errand.of(assignment);
    Instant now = now();
    if (!feed.followed()) {
      record(errand, digest.unwanted(assignment.position(), feed, errand.via(), now));
      return;
    }
    if (assignment.items().get(0) instanceof WorkItem.Fat fat) {
      Optional<Outcome> taken = digest.fat(assignment.position(), feed, fat, now);
      if (taken.isPresent()) {
        record(errand, taken.get());
        return;
      }
    }
    Optional<Instant> quiet =
        errand.via().isPing()
            ? bursts.waitUntil(feed.id(), assignment.items(), now)
            : Optional.empty();
    if (quiet.isPresent()) {
      handOutAgain(assignment, quiet.get());
      return;
    }
    Optional<FetchResult> fetchedByAnother = shared.take(feed, List.of(errand.newest()));
    if (fetchedByAnother.isPresent()) {
      FetchResult result = fetchedByAnother.get();
      Documents.Held held = counted(documents.hold());
      onceDigestible(
          errand,
          held,
          result.bytes(),
          () -> digested(errand, result, store.subscriptions().readers(feed.id())));
      return;
    }
    ask(errand, feed);
  }

  private void ask(Errand errand, FollowedFeed feed) {
    synchronized (this) {
      waiting++;
    }
    HostGate.Haste haste =
        errand.via().isPing()
            ? HostGate.Haste.PING
            : feed.hasBaseline() ? HostGate.Haste.POLL : HostGate.Haste.FIRST;
    Optional<Instant> later = gate.ask(Urls.host(feed.url()), haste, pass -> passed(errand, pass));
    if (later.isPresent()) {
      synchronized (this) {
        waiting--;
      }
      putOff(errand, later.get());
    }
  }

  /** Durably: it may be long, and the work is not to be taken again and again until then. */
  private void putOff(Errand errand, Instant until) {
    Via retry = errand.via().isPing() ? errand.via() : null;
    store.feeds().putOff(errand.assignment().position(), until, retry).join();
    done(errand);
  }

  /** Not all at the same time. */
  private Instant roomBy(Errand errand) {
    long pause = NO_ROOM_PAUSE.toSeconds();
    return now().plusSeconds(pause + errand.assignment().feedId() % pause);
  }

  /** On whichever thread the gate opened. */
  private void passed(Errand errand, HostGate.Pass pass) {
    synchronized (this) {
      waiting--;
    }
    Documents.Held held = counted(documents.hold());
    onWorker(errand, held, () -> fetch(errand, held, pass));
  }

  private void fetch(Errand errand, Documents.Held held, HostGate.Pass pass) {
    FollowedFeed feed;
    long readers;
    try {
      // It may have waited long.
      feed = feed(errand.assignment().feedId());
      readers = store.subscriptions().readers(feed.id());
    } catch (RuntimeException | Error e) {
      pass.leave(true);
      throw e;
    }
    Instant sent = now();
    if (errand.via().isPing()) {
      bursts.fetched(feed.id(), sent);
    }
    var unused =
        fetcher
            .fetch(feed, readers, Upkeep.isDue(feed.fetched().maintenance(), sent), held)
            .whenComplete(
                (result, none) -> {
                  pass.leave(result.answered());
                  onceDigestible(
                      errand,
                      held,
                      result.bytes(),
                      () -> fetched(errand, feed, readers, sent, result));
                });
  }

  private void fetched(
      Errand errand, FollowedFeed feed, long readers, Instant sent, FetchResult result) {
    if (result instanceof FetchResult.CutOff) {
      return;
    }
    Failpoint.AFTER_FETCH.reached();
    reports.of(feed, result);
    if (result instanceof FetchResult.NoRoom) {
      putOff(errand, roomBy(errand));
      return;
    }
    if (result instanceof FetchResult.Failed failed) {
      failed
          .retryAfter()
          .ifPresent(time -> gate.rest(Urls.host(feed.url()), now().plus(cadence.bounded(time))));
    }
    // Lost with the process, this costs the others a poll of their own.
    for (long other : shared.offer(feed, result, sent)) {
      work.add(new WorkItem.Light(other, Via.POLL, sent)).join();
    }
    digested(errand, result, readers);
  }

  /** Counts a document as under way until it is {@link #over}. */
  private synchronized Documents.Held counted(Documents.Held held) {
    fetching++;
    return held;
  }

  /** Runs the last step of what is counted when there is the memory for it. */
  private void onceDigestible(Errand errand, Documents.Held held, int bytes, Runnable last) {
    Runnable step =
        () -> {
          last.run();
          over(held);
        };
    held.whenDigestible(bytes, () -> onWorker(errand, held, step));
  }

  /** Runs a step of what is counted. */
  private void onWorker(Errand errand, Documents.Held held, Runnable step) {
    try {
      workers.execute(
          () -> {
            try {
              step.run();
            } catch (RuntimeException | Error e) {
              over(held);
              rest(errand.assignment(), e);
            }
          });
    } catch (RejectedExecutionException stopping) {
      over(held);
    }
  }

  private void over(Documents.Held held) {
    held.letGo();
    synchronized (this) {
      fetching--;
      notifyAll();
    }
  }

  /** Records what came of a fetch. */
  private void digested(Errand errand, FetchResult result, long readers) {
    Assignment assignment = errand.assignment();
    // A fetch takes its time: it is compared with what the feed is by now. Let go of meanwhile, the
    // feed is left alone; followed again, it gets its baseline from it (rule L11).
    FollowedFeed since = feed(assignment.feedId());
    record(
        errand,
        since.followed()
            ? digest.fetched(
                new Digest.Look(
                    assignment.position(), since, errand.via(), errand.polled(), readers, now()),
                result)
            : digest.unwanted(assignment.position(), since, errand.via(), now()));
  }

  private FollowedFeed feed(long feedId) {
    return store
        .feeds()
        .byId(feedId)
        .orElseThrow(() -> new IllegalStateException("work for a feed that does not exist"));
  }

  private Instant now() {
    return timer.clock().instant();
  }

  private void record(Errand errand, Outcome outcome) {
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
    done(errand);
  }

  private void done(Errand errand) {
    failures.remove(errand.assignment().feedId());
    work.giveBack(errand.assignment());
    pump.wake();
  }

  /** Lets work rest that just failed: each try costs the origin a fetch. */
  private void rest(Assignment assignment, Throwable failure) {
    int times = failures.merge(assignment.feedId(), 1, Integer::sum);
    Duration pause = FIRST_REST.multipliedBy(1L << Math.min(times - 1, MAX_DOUBLINGS));
    Duration rest = pause.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : pause;
    log.atError()
        .addKeyValue("feed", assignment.feedId())
        .addKeyValue("again", rest)
        .setCause(failure)
        .log("Work on a feed failed, it will be repeated");
    handOutAgain(assignment, now().plus(rest));
  }

  private void handOutAgain(Assignment assignment, Instant at) {
    timer.at(
        at,
        () -> {
          work.giveBack(assignment);
          pump.wake();
        });
  }

  /** Takes no more work, and waits at most so long for what is under way. */
  public void stop(Duration atMost) {
    pump.close();
    gate.close();
    Waits.until(this, () -> busy + fetching == 0, atMost);
  }

  /** Takes no more work and waits for what is under way. */
  @Override
  public void close() {
    stop(FOREVER);
  }
}
