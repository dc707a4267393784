package io.feedbridge.gateway.log;

import io.feedbridge.gateway.schedule.BackOff;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Stopping;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.Log.Page;
import io.feedbridge.gateway.store.log.Log.Scope;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.Store;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves all readers of the whole log, outside the rounds (rule L8): durable consumers, each from
 * its own cursor, and readers that keep their position themselves.
 *
 * <p>One pump reads for all of them, one page for each in turn, and hands the page on without
 * waiting for the answer. A slow reader is not ready meanwhile: it takes no thread and delays no
 * other reader. Bytes in flight are bounded ({@link UnreadBytes}), and readers that wait for room
 * get it in turn. A reader that keeps its position itself, and leaves a batch untaken while others
 * wait for the room, is let go: it comes back from its position.
 */
public final class LogFollowers implements AutoCloseable {

  /** Bytes in flight, as stored, past which no more events are read until some are taken. */
  public static final long MAX_BYTES = 64L << 20;

  /** Followers looked at in one step of the pump. */
  private static final int STEPS = 100;

  /** How long a follower waits after its events could not be read. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  /** The id of readers without a row; the ids of consumers are greater. */
  private static final long NO_CONSUMER = 0;

  private static final Logger log = LoggerFactory.getLogger(LogFollowers.class);

  private final Store store;
  private final LogPages pages;
  private final BackOff backOff;
  private final Clock clock;
  private final Pump pump;

  /** For batches in flight and the last checkpoints. */
  private final Stopping stopping = new Stopping(Duration.ofSeconds(3));

  /** Only the pump's step uses it. */
  private final Cursors cursors;

  /**
   * All followers, with the time planned for each; guarded by this, like the fields below that say
   * nothing else.
   */
  private final Map<LogFollower, @Nullable Planned> all = new HashMap<>();

  /** The followers that have something to do at a certain time, by that time. */
  private final TreeSet<Planned> planned =
      new TreeSet<>(Comparator.comparing(Planned::at).thenComparingLong(Planned::number));

  /** When the pump runs by itself. */
  private Instant pumpsAt = Instant.MAX;

  private long plans;
  private final Set<LogFollower> ready = new LinkedHashSet<>();
  private final UnreadBytes unread = new UnreadBytes();

  /** Whether followers that are ready wait for room. */
  private boolean blocked;

  /** The end of the log as it was last looked at. */
  private long newest;

  /** The number of appends reported by then; only the pump's step touches it. */
  private long newestAsOf = -1;

  private long letGo;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor for the pump, which blocks
   */
  public LogFollowers(Store store, Executor executor, Timer timer, RandomGenerator random) {
    this.store = store;
    pages = new LogPages(store.log());
    cursors = new Cursors(store.consumers());
    backOff = new BackOff(random);
    clock = timer.clock();
    pump = new Pump("log-followers", this::step, executor, timer);
  }

  /** Begins to serve. */
  public void start() {
    store.onChange(Change.APPENDED, this::appended);
    pump.start();
  }

  /**
   * Serves a durable consumer from its cursor on. After a crash at most the batch in flight and one
   * {@link LogPosition#CHECKPOINT_INTERVAL} are brought again.
   *
   * @param consumer as the store has it; no other follower serves it
   */
  public LogFollower follow(LogConsumer consumer, Scope scope, LogSink sink) {
    return add(new LogPosition(consumer, cursors), scope, sink, null);
  }

  /**
   * Serves a reader that keeps its position itself, with the events after that position.
   *
   * @param after not past the end of the log
   * @param caller whose share of the unread bytes counts; null for none
   */
  public LogFollower read(long after, Scope scope, LogSink sink, @Nullable String caller) {
    LogConsumer reader =
        new LogConsumer(NO_CONSUMER, "a reader", after, null, 0, clock.instant(), null);
    return add(new LogPosition(reader, null), scope, sink, caller);
  }

  private LogFollower add(
      LogPosition position, Scope scope, LogSink sink, @Nullable String caller) {
    LogFollower follower = new LogFollower(this, position, scope, sink, caller, backOff, clock);
    synchronized (this) {
      if (stopping.hasBegun()) {
        throw new IllegalStateException("the gateway is stopping");
      }
      all.put(follower, null);
    }
    ready(follower);
    return follower;
  }

  private void appended() {
    pages.appended();
    synchronized (this) {
      ready.addAll(all.keySet());
    }
    pump.wake();
  }

  /** The follower may have something to do. */
  void ready(LogFollower follower) {
    synchronized (this) {
      if (all.containsKey(follower)) {
        ready.add(follower);
      }
    }
    pump.wake();
  }

  synchronized void forget(LogFollower follower) {
    Planned next = all.remove(follower);
    if (next != null) {
      planned.remove(next);
    }
    ready.remove(follower);
    notifyAll();
  }

  /** A time at which to look at a follower; the number orders entries of the same time. */
  private record Planned(Instant at, long number, LogFollower follower) {}

  /**
   * The follower has nothing to do until then, unless there is more in the log. Most followers are
   * at the end of the log after a batch; to wake the pump for each of them costs more than the
   * batch.
   *
   * @param readsAfter where it goes on; empty while it waits for its sink
   */
  void rest(LogFollower follower, OptionalLong readsAfter, Optional<Instant> until) {
    boolean wake = true;
    synchronized (this) {
      if (readsAfter.isEmpty() || pages.isEnd(readsAfter.getAsLong())) {
        wake = until.isPresent() && plan(follower, until.get());
      } else if (all.containsKey(follower)) {
        ready.add(follower);
      }
    }
    if (wake) {
      pump.wake();
    }
  }

  /** A batch was handed to the follower's sink, from a position of the follower. */
  synchronized void entered(LogFollower follower, long more, long from) {
    unread.entered(follower, more, isAtEnd(from), clock.instant());
  }

  /** The follower's batch was taken, or its sink has ended. */
  void left(LogFollower follower) {
    boolean wake;
    synchronized (this) {
      unread.left(follower);
      wake = blocked;
      blocked = false;
    }
    if (wake) {
      pump.wake();
    }
  }

  /** Bytes of events that were handed to sinks and not taken yet. */
  public synchronized long unreadBytes() {
    return unread.bytes();
  }

  /** How many readers were let go because others waited for their room. */
  public synchronized long readersLetGo() {
    return letGo;
  }

  private boolean isAtEnd(long position) {
    return position >= newest - Document.MAX_ENTRIES;
  }

  /** Finds the end of the log if there are readers: their bounds depend on the distance to it. */
  private void lookAtEnd() {
    long told = pages.appends();
    synchronized (this) {
      if (told == newestAsOf || all.keySet().stream().noneMatch(one -> one.caller() != null)) {
        return;
      }
    }
    long head;
    try {
      head = store.log().extent().head();
    } catch (StoreException e) {
      // The followers' own reads will report it.
      return;
    }
    synchronized (this) {
      newest = head;
    }
    newestAsOf = told;
  }

  /** {@link LogPages#read}; only steps call it. */
  Page read(long after, long upTo, Scope scope, boolean filled) {
    return pages.read(after, upTo, scope, filled);
  }

  private boolean mayGoOn(LogFollower follower) {
    return follower.hasEnded() || unread.fits(follower.caller(), isAtEnd(follower.position()));
  }

  private Optional<Instant> step() {
    readyDue();
    lookAtEnd();
    slowReaders().forEach(LogFollower::letGo);
    for (int i = 0; i < STEPS; i++) {
      Optional<LogFollower> next = next();
      if (next.isEmpty()) {
        break;
      }
      serve(next.get());
    }
    cursors.write();
    return again();
  }

  private synchronized void readyDue() {
    Instant now = clock.instant();
    while (!planned.isEmpty() && !planned.first().at.isAfter(now)) {
      LogFollower follower = planned.pollFirst().follower;
      all.put(follower, null);
      ready.add(follower);
    }
  }

  private synchronized Optional<Instant> again() {
    if (ready.stream().anyMatch(this::mayGoOn)) {
      return Optional.of(clock.instant());
    }
    blocked = !ready.isEmpty();
    pumpsAt = planned.isEmpty() ? Instant.MAX : planned.first().at;
    for (LogFollower waiting : ready) {
      Instant patience = inTheWayOf(waiting).map(unread::patientUntil).orElse(Instant.MAX);
      pumpsAt = patience.isBefore(pumpsAt) ? patience : pumpsAt;
    }
    return Optional.of(pumpsAt).filter(at -> !at.equals(Instant.MAX));
  }

  /**
   * Of the followers for which there is room, one whose caller has least unread; of these the one
   * that has been ready for longest.
   */
  private synchronized Optional<LogFollower> next() {
    Optional<LogFollower> next =
        ready.stream()
            .filter(this::mayGoOn)
            .min(Comparator.comparingLong(one -> unread.bytesOf(one.caller())));
    next.ifPresent(ready::remove);
    return next;
  }

  private Optional<LogFollower> inTheWayOf(LogFollower waiting) {
    return unread.inTheWayOf(waiting.caller(), isAtEnd(waiting.position()));
  }

  /** Readers that have had their time while others wait for their room. */
  private synchronized List<LogFollower> slowReaders() {
    Instant now = clock.instant();
    List<LogFollower> slow = new ArrayList<>();
    for (LogFollower waiting : ready) {
      if (!mayGoOn(waiting)) {
        inTheWayOf(waiting)
            .filter(reader -> !unread.patientUntil(reader).isAfter(now))
            .ifPresent(
                reader -> {
                  // Its bytes are free as soon as its connection has ended, which is soon.
                  unread.left(reader);
                  slow.add(reader);
                });
      }
    }
    letGo += slow.size();
    return slow;
  }

  private void serve(LogFollower follower) {
    Optional<Instant> again;
    try {
      again = follower.step();
    } catch (RuntimeException | Error e) {
      // An error too (the memory that one batch needed, say): the others are served all the same.
      log.atWarn().setCause(e).log("The log could not be read for one of its readers");
      again = Optional.of(clock.instant().plus(PAUSE_AFTER_FAILURE));
    }
    again.ifPresent(at -> plan(follower, at));
  }

  /**
   * The follower is looked at no later than that.
   *
   * @return whether the pump must be woken, because its next run is later than that
   */
  private synchronized boolean plan(LogFollower follower, Instant at) {
    if (!all.containsKey(follower)) {
      return false;
    }
    if (!at.isAfter(clock.instant())) {
      ready.add(follower);
      return true;
    }
    Planned before = all.get(follower);
    if (before != null && !at.isBefore(before.at)) {
      return false;
    }
    if (before != null) {
      planned.remove(before);
    }
    Planned next = new Planned(at, plans++, follower);
    all.put(follower, next);
    planned.add(next);
    return at.isBefore(pumpsAt);
  }

  /** Begins no further batch. The wait of {@link #close} counts from here on. */
  public void stop() {
    List<LogFollower> serving;
    synchronized (this) {
      stopping.begin();
      serving = List.copyOf(all.keySet());
    }
    for (LogFollower follower : serving) {
      var unused = follower.stop();
    }
  }

  /** Begins no further batch, and waits some seconds for batches in flight and the cursors. */
  @Override
  public void close() {
    stop();
    Waits.until(this, all::isEmpty, stopping.left());
    pump.close();
  }
}
