package io.feedbridge.gateway.search;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.search.TextIndex.Hit;
import io.feedbridge.gateway.search.query.EntryTerms;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Ref;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the index behind the log, in batches, and removes entries that the store has no more. Its
 * position is in the index itself, so that a process that ends at any time misses no entry and
 * repeats none.
 */
public final class Indexer implements AutoCloseable {

  /** Entries that are written to the index at once, roughly. */
  public static final int BATCH = 500;

  /**
   * The least time between two batches while the index is up to date. Each batch is a segment, and
   * segments are merged: the larger the batches, the fewer times each word is written.
   */
  static final Duration PAUSE = Duration.ofSeconds(2);

  /** Feeds whose first entries are read in one step. */
  private static final int FEEDS = 10;

  /** Entries of events that have left the log which one step compares; more than one event has. */
  static final int LEFT = 1_000;

  /** Entries that one look for removed ones covers. */
  private static final int LOOK = 500;

  /** The time between two such looks, unless a look has found a removed entry. */
  static final Duration BETWEEN_LOOKS = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(Indexer.class);

  private final TextIndex index;
  private final Store store;
  private final Log events;
  private final Feeds feeds;
  private final KeptEntries entries;
  private final Timer timer;
  private final Pump pump;
  private final String name;
  private final Predicate<String> trackers;

  /** Entries up to here are not in the log or in the index; for the gauge. */
  private final AtomicLong position = new AtomicLong();

  // Only the pump's step touches these.
  private @Nullable Instant lastBatch;
  private Instant nextLook = Instant.MIN;
  private long lookedTo;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param name of the store, which another store does not have
   * @param trackers the topics of feeds whose entries are entries of other feeds; not indexed
   * @param executor for the pump, which blocks
   */
  public Indexer(
      TextIndex index,
      Store store,
      String name,
      Predicate<String> trackers,
      Executor executor,
      Timer timer) {
    this.name = name;
    this.trackers = trackers;
    this.index = index;
    this.store = store;
    events = store.log();
    feeds = store.feeds();
    entries = store.entries();
    this.timer = timer;
    pump = new Pump("search-index", this::step, executor, timer);
  }

  /** Begins to write, after the index was compared with the store. Blocks. */
  public void start() {
    index.adopt(name, store.ownership().self().epoch(), events.extent().head());
    store.onChange(Change.FETCHED, pump::wake);
    pump.start();
  }

  /** Events of the log that are not in the index yet. */
  public long behind() {
    return Math.max(0, events.extent().head() - position.get());
  }

  private Optional<Instant> step() {
    Instant now = timer.clock().instant();
    if (lastBatch != null && now.isBefore(lastBatch.plus(PAUSE))) {
      return Optional.of(lastBatch.plus(PAUSE));
    }
    boolean moreFirst = firstEntries();
    boolean moreNew = newEntries();
    boolean moreLeft = trim();
    boolean more = moreFirst || moreNew || moreLeft;
    if (!now.isBefore(nextLook)) {
      nextLook = look() ? now : now.plus(BETWEEN_LOOKS);
    }
    lastBatch = more ? null : now;
    return Optional.of(more ? now : nextLook);
  }

  /** Removes entries whose event has left the log, unless the store keeps them. */
  private boolean trim() {
    long start = events.extent().start();
    if (start <= index.trimmed()) {
      return false;
    }
    List<Hit> left = index.leaving(start, LEFT);
    // The last event may go on behind the limit.
    boolean more = left.size() == LEFT;
    long to = more ? seq(left.get(LEFT - 1)) - 1 : start;
    List<Hit> whole = left.stream().filter(hit -> seq(hit) <= to).toList();
    Set<Ref> gone = entries.gone(whole.stream().map(Hit::ref).toList());
    index.trim(whole.stream().filter(hit -> gone.contains(hit.ref())).toList(), to);
    return more;
  }

  private static long seq(Hit hit) {
    return Objects.requireNonNull(hit.ref().seq(), "it is of an event");
  }

  /** Entries that existed when following began. */
  private boolean firstEntries() {
    if (index.position() < 0) {
      entries.allDue().join();
      index.add(List.of(), 0);
    }
    List<KeptEntries.Due> due = entries.due(FEEDS);
    if (due.isEmpty()) {
      return false;
    }
    List<IndexedEntry> found = new ArrayList<>();
    for (KeptEntries.Due one : due) {
      Optional<FollowedFeed> feed =
          feeds.byId(one.feedId()).filter(of -> !trackers.test(of.topic()));
      Optional<Newest> newest = feed.flatMap(of -> feeds.newest(of.id(), Newest.KEPT));
      if (feed.isPresent() && newest.isPresent()) {
        List<Newest.Arrival> arrivals = newest.get().entries();
        // The newest is read first, and the number of an entry grows with its arrival.
        for (int i = arrivals.size() - 1; i >= 0; i--) {
          Newest.Arrival arrival = arrivals.get(i);
          found.add(
              entry(
                  feed.get().id(),
                  newest.get().feed(),
                  feed.get().status(),
                  arrival.seq(),
                  arrival.at(),
                  arrival.entry()));
        }
      }
    }
    index.add(found, index.position());
    entries.done(due).join();
    return due.size() == FEEDS;
  }

  private boolean newEntries() {
    long from = index.position();
    long to = from;
    List<IndexedEntry> found = new ArrayList<>();
    while (found.size() < BATCH) {
      Log.Page page = events.read(to, Long.MAX_VALUE, Log.Scope.ALL);
      if (page.after() > to && to > 0) {
        log.atWarn()
            .addKeyValue("after", to)
            .addKeyValue("upTo", page.after())
            .log("Events left the log before they were indexed, or could not be read");
        entries.allDue().join();
      }
      boolean end = page.events().isEmpty() && page.to() == to;
      to = page.to();
      page.events().forEach(event -> add(found, event));
      if (end) {
        break;
      }
    }
    if (to > from) {
      index.add(found, to);
    }
    position.set(to);
    return found.size() >= BATCH;
  }

  private static void add(List<IndexedEntry> found, Event event) {
    if (event.isOwn()) {
      return;
    }
    Feed feed = event.update().feed();
    Status status = event.update().status();
    List<List<Entry>> both = List.of(event.update().changed(), feed.entries());
    for (List<Entry> newestFirst : both) {
      for (int i = newestFirst.size() - 1; i >= 0; i--) {
        found.add(entry(event.feedId(), feed, status, event.seq(), event.at(), newestFirst.get(i)));
      }
    }
  }

  private static IndexedEntry entry(
      long feedId, Feed feed, Status status, @Nullable Long seq, Instant at, Entry entry) {
    return new IndexedEntry(
        new Ref(new EntryKey(feedId, entry.id()), seq),
        at,
        EntryTerms.of(entry, status.feed(), feed.language()),
        status.popularity() == null ? 0 : status.popularity(),
        status.bozoRank() == null ? 0 : status.bozoRank());
  }

  /**
   * Looks at some entries of the index, the next ones each time, and removes the entries that are
   * gone.
   *
   * @return whether it found one
   */
  private boolean look() {
    List<Hit> hits = index.entries(lookedTo, LOOK);
    lookedTo = hits.size() < LOOK ? 0 : hits.get(hits.size() - 1).id();
    Set<Ref> gone = entries.gone(hits.stream().map(Hit::ref).toList());
    if (gone.isEmpty()) {
      return false;
    }
    index.remove(hits.stream().filter(hit -> gone.contains(hit.ref())).toList());
    return true;
  }

  /** Begins no further batch, and waits for the one under way. */
  @Override
  public void close() {
    pump.close();
  }
}
