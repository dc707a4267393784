package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.Document;
import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.Log;
import io.feedbridge.gateway.store.Log.Page;
import io.feedbridge.gateway.store.Log.Scope;
import io.feedbridge.gateway.store.LogConsumer;
import io.feedbridge.gateway.store.Store;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves everyone who reads the whole log, outside the rounds (rule L8): durable consumers, each
 * from its own cursor, and readers who keep their position themselves.
 *
 * <p>One pump reads for all of them, one page for each in turn, and hands the page on without
 * waiting for what comes of it. So whoever is slow is simply not ready, and costs no thread and
 * holds up nobody; what is in flight is bounded, and those who wait for room get it in turn.
 */
public final class LogFollowers implements AutoCloseable {

  /** Bytes in flight, as stored, past which nothing more is read until some of them are taken. */
  static final long MAX_BYTES = 64L << 20;

  /** Followers looked at in one step of the pump. */
  private static final int STEPS = 100;

  /** How long a follower rests whose events could not be read. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  /** How long a stop waits for what is in flight and for the last checkpoints. */
  private static final Duration STOP_WAIT = Duration.ofSeconds(3);

  /** Of readers without a row; those of consumers begin above. */
  private static final long NO_CONSUMER = 0;

  private static final Logger log = LoggerFactory.getLogger(LogFollowers.class);

  private final Store store;
  private final Log events;
  private final BackOff backOff;
  private final Clock clock;
  private final Pump pump;

  /** Only the pump's step uses it. */
  private final Cursors cursors;

  /** All there are; guarded by {@code this}, like what follows. */
  private final Map<LogFollower, @Nullable Planned> all = new HashMap<>();

  /** Those of them who have something to do at a certain time, by that time. */
  private final TreeSet<Planned> planned =
      new TreeSet<>(Comparator.comparing(Planned::at).thenComparingLong(Planned::number));

  /** When the pump runs by itself. */
  private Instant pumpsAt = Instant.MAX;

  private long plans;
  private final Set<LogFollower> ready = new LinkedHashSet<>();
  private long bytes;
  private boolean closed;

  /**
   * The last page that was read for all feeds: many readers are at the same position, and those who
   * have to wait for their sinks come back to it. Only the pump's step touches it.
   */
  private @Nullable Page shared;

  /** How many appends had been told of when it was read; likewise. */
  private long sharedAsOf = -1;

  /** Where somebody was who wanted some feeds only, and read last; likewise. */
  private long lastOfSome = -1;

  /** After this there was nothing when so many appends had been told of; guarded by this. */
  private long emptyAfter = -1;

  private long emptyAt;

  private final AtomicLong appends = new AtomicLong();

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor for the pump, which blocks
   */
  public LogFollowers(Store store, Executor executor, Timer timer, RandomGenerator random) {
    this.store = store;
    events = store.log();
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
   * @param consumer as the store has it; nobody else serves it
   */
  public LogFollower follow(LogConsumer consumer, Scope scope, LogSink sink) {
    return add(new LogPosition(consumer, cursors), scope, sink);
  }

  /** Serves a reader that keeps its position itself, with what comes after that. */
  public LogFollower read(long after, Scope scope, LogSink sink) {
    LogConsumer reader =
        new LogConsumer(NO_CONSUMER, "a reader", after, null, 0, clock.instant(), null);
    return add(new LogPosition(reader, null), scope, sink);
  }

  private LogFollower add(LogPosition position, Scope scope, LogSink sink) {
    LogFollower follower = new LogFollower(this, position, scope, sink, backOff, clock);
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("the gateway is stopping");
      }
      all.put(follower, null);
    }
    ready(follower);
    return follower;
  }

  private void appended() {
    appends.incrementAndGet();
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

  /** A follower is to be looked at at a time, the first of two that have the same by its number. */
  private record Planned(Instant at, long number, LogFollower follower) {}

  /**
   * The follower has nothing to do until then, unless there is more in the log. Most who were
   * brought an event are at the end of the log then; to wake the pump for each of them costs more
   * than to bring it.
   *
   * @param readsAfter where it goes on; empty while it waits for its sink
   */
  void rest(LogFollower follower, OptionalLong readsAfter, Optional<Instant> until) {
    boolean wake = true;
    synchronized (this) {
      if (readsAfter.isEmpty() || isEnd(readsAfter.getAsLong())) {
        wake = until.isPresent() && plan(follower, until.get());
      } else if (all.containsKey(follower)) {
        ready.add(follower);
      }
    }
    if (wake) {
      pump.wake();
    }
  }

  private synchronized boolean isEnd(long cursor) {
    return cursor == emptyAfter && emptyAt == appends.get();
  }

  synchronized void entered(long more) {
    bytes += more;
  }

  void left(long less) {
    boolean wake;
    synchronized (this) {
      wake = bytes >= MAX_BYTES && bytes - less < MAX_BYTES && !ready.isEmpty();
      bytes -= less;
    }
    if (wake) {
      pump.wake();
    }
  }

  /**
   * A page; what was just read for one is not read again for the others, whichever feeds they want.
   * Only steps call it.
   */
  Page read(long after, long upTo, Scope scope) {
    if (upTo != Long.MAX_VALUE) {
      return events.read(after, upTo, scope);
    }
    long told = appends.get();
    Page last = shared;
    if (last != null && last.after() == after && told == sharedAsOf) {
      return narrowed(last, scope);
    }
    if (isEnd(after)) {
      return new Page(after, List.of(), after, 0);
    }
    if (scope != Scope.ALL && !isSharedSoon(after)) {
      return events.read(after, upTo, scope);
    }
    Page page = events.read(after, upTo, Scope.ALL);
    if (!page.events().isEmpty()) {
      shared = page;
      sharedAsOf = told;
    } else if (page.after() == after && page.to() == after) {
      ends(after, told);
    }
    return narrowed(page, scope);
  }

  private synchronized void ends(long after, long told) {
    emptyAfter = after;
    emptyAt = told;
  }

  /**
   * Whether others who want some feeds are at the same position, near the end of the log: then one
   * page of everything is read for all of them. Further back whoever wants little is better off
   * with the index.
   */
  private boolean isSharedSoon(long after) {
    boolean another = after == lastOfSome;
    lastOfSome = after;
    return another && events.extent().head() - after <= Document.MAX_ENTRIES;
  }

  private static Page narrowed(Page page, Scope scope) {
    if (!(scope instanceof Scope.Some some) || page.events().isEmpty()) {
      return page;
    }
    List<Event> wanted =
        page.events().stream().filter(event -> some.feedIds().contains(event.feedId())).toList();
    long bytes = page.bytes() * wanted.size() / page.events().size();
    return new Page(page.after(), wanted, page.to(), bytes);
  }

  private Optional<Instant> step() {
    readyWhoIsDue();
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

  private synchronized void readyWhoIsDue() {
    Instant now = clock.instant();
    while (!planned.isEmpty() && !planned.first().at.isAfter(now)) {
      LogFollower follower = planned.pollFirst().follower;
      all.put(follower, null);
      ready.add(follower);
    }
  }

  private synchronized Optional<Instant> again() {
    if (!ready.isEmpty() && bytes < MAX_BYTES) {
      return Optional.of(clock.instant());
    }
    pumpsAt = planned.isEmpty() ? Instant.MAX : planned.first().at;
    return Optional.of(pumpsAt).filter(at -> !at.equals(Instant.MAX));
  }

  /** Whoever has been ready for longest, as long as there is room. */
  private synchronized Optional<LogFollower> next() {
    Iterator<LogFollower> waiting = ready.iterator();
    if (bytes >= MAX_BYTES || !waiting.hasNext()) {
      return Optional.empty();
    }
    LogFollower follower = waiting.next();
    waiting.remove();
    return Optional.of(follower);
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
   * @return whether the pump does not run by then, unless somebody wakes it
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

  /**
   * Begins no further batch and waits, for a few seconds, until those in flight have ended and the
   * consumers' positions are written.
   */
  @Override
  public void close() {
    List<LogFollower> serving;
    synchronized (this) {
      closed = true;
      serving = new ArrayList<>(all.keySet());
    }
    for (LogFollower follower : serving) {
      var unused = follower.stop();
    }
    Waits.until(this, all::isEmpty, STOP_WAIT);
    pump.close();
  }
}
