package io.feedbridge.gateway.track;

import io.feedbridge.gateway.guard.PublicFeeds;
import io.feedbridge.gateway.guard.TrackerBudgets;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.EntryTerms;
import io.feedbridge.gateway.search.query.Terms;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.EntryKey;
import io.feedbridge.gateway.store.TrackedItem.Found;
import io.feedbridge.gateway.store.TrackedItem.Removed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.Lists;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.Trackers;
import io.feedbridge.gateway.store.sql.feeds.Trackers.Tracker;
import io.feedbridge.gateway.store.sql.lists.ListHolders.Holder;
import io.feedbridge.gateway.track.Appender.Piece;
import io.feedbridge.normalizer.CutOff;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.Source;
import io.feedbridge.normalizer.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the log for all trackers and lists, from one durable position (rule L8). It appends to each
 * tracker the entries of public feeds that match its query, and to each list the entries of the
 * feeds that stand in it. Entries are appended before or with the position, and an entry is
 * appended once: an end of the process at any time loses and doubles none.
 */
public final class TrackerFollower implements AutoCloseable {

  /** Changes of trackers that are read at once. */
  private static final int CHANGES = 1_000;

  /** Pages of the log that one step reads, and appends, in turns. */
  private static final int PAGES = 40;

  /** How long a position waits to be written that moved past entries of no tracker. */
  private static final Duration SAVED_AFTER = Duration.ofSeconds(30);

  private static final Logger log = LoggerFactory.getLogger(TrackerFollower.class);

  private final Log events;
  private final Trackers trackers;
  private final Lists lists;
  private final Appender appender;
  private final TrackerBudgets budgets;
  private final Meters meters;
  private final TrackerTopics topics;
  private final PublicFeeds publicFeeds;
  private final Store store;
  private final Timer timer;
  private final Pump pump;

  // Only the pump's step touches these.
  private final QueryIndex queries = new QueryIndex();
  private final Map<Long, Long> starts = new HashMap<>();
  private long change;
  private long position = -1;
  private @Nullable Matched matched;
  private long saved;
  private Instant saveAt = Instant.MIN;

  private record Matched(List<Piece> pieces, long to) {}

  /** The number of trackers, for the gauge. */
  private volatile int count;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param publicFeeds the feeds that trackers collect from
   * @param executor for the pump, which blocks
   */
  public TrackerFollower(
      Store store,
      TrackerTopics topics,
      PublicFeeds publicFeeds,
      Executor executor,
      Timer timer,
      Meters meters) {
    this.store = store;
    events = store.log();
    trackers = store.trackers();
    lists = store.lists();
    appender = new Appender(trackers, meters);
    budgets = new TrackerBudgets(timer.clock());
    this.meters = meters;
    this.topics = topics;
    this.publicFeeds = publicFeeds;
    this.timer = timer;
    pump = new Pump("trackers", this::step, executor, timer);
  }

  /** Begins to follow the log. */
  public void start() {
    store.onChange(Change.APPENDED, pump::wake);
    pump.start();
  }

  /** Trackers that are followed. */
  public int count() {
    return count;
  }

  private Optional<Instant> step() {
    if (position < 0) {
      position = trackers.position();
      saved = position;
    }
    for (int pages = 0; pages < PAGES; pages++) {
      if (matched != null) {
        append(matched.pieces, matched.to);
        position = matched.to;
        matched = null;
        continue;
      }
      learn();
      boolean reads = queries.size() > 0 || lists.any();
      Log.Page page =
          reads
              ? events.read(position, Long.MAX_VALUE, Log.Scope.ALL)
              : new Log.Page(position, List.of(), events.extent().head(), 0);
      // After the read: a tracker that began before one of these events is known by now.
      learn();
      if (!reads && (queries.size() > 0 || lists.any())) {
        continue;
      }
      if (reads && page.after() > position) {
        log.atWarn()
            .addKeyValue("after", position)
            .addKeyValue("upTo", page.after())
            .log("Events left the log before trackers had them, or could not be read");
      }
      if (page.events().isEmpty() && page.to() <= position) {
        return save();
      }
      // Kept until it is appended: a repeated step must not spend the budgets again.
      matched = new Matched(matches(page.events()), page.to());
    }
    return Optional.of(timer.clock().instant());
  }

  /** Writes a position that has been waiting, so that a restart reads little again. */
  private Optional<Instant> save() {
    Instant now = timer.clock().instant();
    if (saved == position) {
      return Optional.empty();
    }
    if (saveAt.equals(Instant.MIN)) {
      saveAt = now.plus(SAVED_AFTER);
    }
    if (now.isBefore(saveAt)) {
      return Optional.of(saveAt);
    }
    trackers.append(List.of(), position, now).join();
    saved = position;
    saveAt = Instant.MIN;
    return Optional.empty();
  }

  private void learn() {
    List<Tracker> changes;
    do {
      changes = trackers.changes(change, CHANGES);
      changes.forEach(this::learn);
    } while (changes.size() == CHANGES);
    count = queries.size();
  }

  private void learn(Tracker tracker) {
    change = tracker.change();
    queries.remove(tracker.feedId());
    starts.remove(tracker.feedId());
    Long start = tracker.start();
    if (start != null && topics.isTracker(tracker.topic())) {
      try {
        queries.put(tracker.feedId(), topics.query(tracker.topic()));
        starts.put(tracker.feedId(), start);
      } catch (BadQueryException e) {
        log.atWarn()
            .addKeyValue("topic", tracker.topic())
            .addKeyValue("reason", e.reason())
            .log("A tracker's query cannot be read any more; it gets no entries");
      }
    }
  }

  private boolean hasBudget(long trackerId) {
    if (budgets.take(trackerId)) {
      return true;
    }
    meters.trackerEntryLeftOut();
    if (budgets.isFirstRefusal(trackerId)) {
      log.atWarn()
          .addKeyValue("tracker", trackerId)
          .log(
              "A tracker gets no more entries for now: its budget, or the budget of all trackers, of"
                  + " a day is spent. A query that matches less helps");
    }
    return false;
  }

  /** The lists and the trackers that get an entry. */
  private Set<Long> takers(Event event, Entry entry, List<Holder> holders, boolean isPublic) {
    Set<Long> takers = new LinkedHashSet<>();
    for (Holder list : holders) {
      if (list.start() < event.seq()) {
        takers.add(list.listId());
      }
    }
    if (isPublic && queries.size() > 0) {
      Feed feed = event.update().feed();
      Status status = event.update().status();
      Terms terms = EntryTerms.of(entry, status.feed(), feed.language());
      double popularity = status.popularity() == null ? 0 : status.popularity();
      double bozo = status.bozoRank() == null ? 0 : status.bozoRank();
      queries.matches(terms, popularity, bozo).stream()
          .filter(id -> starts.getOrDefault(id, Long.MAX_VALUE) < event.seq())
          .filter(this::hasBudget)
          .forEach(takers::add);
    }
    return takers;
  }

  /**
   * The entries for each tracker and list, one by one: the new ones, the changed ones and then the
   * removed ones, each in the order of the log. An entry is among one of them alone, as it is after
   * the last event; the store tells whether the tracker had it.
   */
  private final class Matches {
    private final Map<Long, List<Piece>> fresh = new TreeMap<>();
    private final Map<Long, List<Piece>> changed = new TreeMap<>();
    private final Map<Long, List<Piece>> removed = new TreeMap<>();

    void add(
        Event event,
        List<Entry> newestFirst,
        boolean isFresh,
        List<Holder> holders,
        boolean isPublic) {
      for (int i = newestFirst.size() - 1; i >= 0; i--) {
        try {
          Entry entry = newestFirst.get(i);
          add(event, entry, isFresh, takers(event, entry, holders, isPublic));
        } catch (RuntimeException bad) {
          appender.passOver(event.feedId(), bad);
        }
      }
    }

    private void add(Event event, Entry entry, boolean isFresh, Set<Long> ids) {
      Feed feed = event.update().feed();
      if (!ids.isEmpty()) {
        Entry sourced = entry.withSource(Source.of(feed, event.update().status()));
        EntryKey key = new EntryKey(event.feedId(), entry.id());
        Found found = new Found(key, sourced, CutOff.isPossible(feed));
        for (long id : ids) {
          // The tracker may have had an entry that comes back within the page: not new to it then.
          boolean isNew = isFresh && !drop(removed.get(id), key);
          (isNew ? fresh : changed)
              .computeIfAbsent(id, any -> new ArrayList<>(1))
              .add(new Piece(id, found, isNew));
        }
      }
    }

    /**
     * Takes none of the budgets: a tracker is told of the removals of entries alone that it got out
     * of its budget.
     */
    void remove(Event event, Removal removal) {
      EntryKey key = new EntryKey(event.feedId(), removal.id());
      fresh.values().forEach(pieces -> drop(pieces, key));
      changed.values().forEach(pieces -> drop(pieces, key));
      String feed = event.update().status().feed();
      Feed bare = Feed.bare(feed, event.update().feed().title());
      Removed item = new Removed(key, removal.withSource(Source.of(bare, Status.of(feed))));
      for (long id : trackers.having(key)) {
        removed.computeIfAbsent(id, any -> new ArrayList<>(1)).add(new Piece(id, item, false));
      }
    }

    private static boolean drop(@Nullable List<Piece> pieces, EntryKey key) {
      return pieces != null && pieces.removeIf(piece -> piece.item().key().equals(key));
    }

    List<Piece> all() {
      for (Map<Long, List<Piece>> later : List.of(changed, removed)) {
        later.forEach(
            (id, pieces) -> fresh.computeIfAbsent(id, any -> new ArrayList<>(1)).addAll(pieces));
      }
      return fresh.values().stream().flatMap(List::stream).toList();
    }
  }

  private List<Piece> matches(List<Event> read) {
    Matches matches = new Matches();
    Map<Long, List<Holder>> holders =
        lists.holders(read.stream().map(Event::feedId).collect(Collectors.toSet()));
    for (Event event : read) {
      if (event.isOwn() || store.privateFeeds().contains(event.feedId())) {
        continue;
      }
      List<Holder> its = holders.getOrDefault(event.feedId(), List.of());
      // Asked for each event: the policies may have changed since the tracker began.
      boolean isPublic = publicFeeds.contains(event.topic());
      if (isPublic || !its.isEmpty()) {
        matches.add(event, event.update().changed(), false, its, isPublic);
        matches.add(event, event.update().feed().entries(), true, its, isPublic);
        event.update().feed().removals().forEach(removal -> matches.remove(event, removal));
      }
    }
    return matches.all();
  }

  private void append(List<Piece> pieces, long to) {
    if (!pieces.isEmpty()) {
      appender.append(pieces, to, timer.clock().instant());
      saved = to;
      saveAt = Instant.MIN;
    }
  }

  /** Reads no further, and waits for the step under way. */
  @Override
  public void close() {
    pump.close();
  }
}
