package io.feedbridge.gateway.ingest.hosts;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The turns of the fetches of one site, each with a time at which it is to come again. A ping takes
 * the turn of the first poll, once for each poll. Not thread-safe.
 */
final class SiteTurns {

  /** The most turns of one site; further fetches are told a time, and ask anew then. */
  static final int MOST = 10_000;

  /** The longest time from now, or from the end of a rest, after which a fetch asks again. */
  static final Duration LONGEST_WAIT = Duration.ofHours(1);

  /** Fetches whose turns are farther off ask again over so long a time, and not all at once. */
  private static final Duration SPREAD = LONGEST_WAIT.dividedBy(4);

  /** A turn that is not taken for this long after its time lapses. */
  static final Duration LAPSED = Duration.ofMinutes(10);

  /** For how long after its time a turn holds up fetches without one. */
  private static final Duration AWAITED = Duration.ofSeconds(30);

  /** The most that a fetch may come late without delaying the one after it. */
  private static final Duration MOST_SLACK = Duration.ofMillis(1_500);

  private static final int SLACK_PART = 16;

  /** The most requests without a turn that hold up the fetches of a site. */
  static final int MOST_BESIDES = 16;

  private final Map<Long, Turn> byKey = new HashMap<>();
  private final NavigableMap<Instant, Turn> byTime = new TreeMap<>();

  /** The turns that lie behind each other, without the deferred ones. */
  private final NavigableMap<Instant, Turn> queue = new TreeMap<>();

  /** The turns that a ping may take. */
  private final NavigableMap<Instant, Turn> polls = new TreeMap<>();

  private Instant free = Instant.MIN;
  private Instant beyond = Instant.MIN;

  /** The pace by which the turns lie. */
  private Duration laid = Duration.ZERO;

  private static final class Turn {
    private final long key;
    private boolean mayYield;
    private boolean isDeferred;
    private Instant at;

    /** When its fetch comes again, which is never after its time. */
    private Instant told;

    Turn(long key, boolean mayYield, Instant at) {
      this.key = key;
      this.mayYield = mayYield;
      this.at = at;
      told = at;
    }
  }

  int size() {
    return byKey.size();
  }

  /** A request is sent now. */
  void sent(Instant now, Duration pace) {
    Instant next = now.plus(pace);
    free = next.isAfter(free) ? next : free;
  }

  /** Counts a request that was sent without a turn; a server may redirect there at will. */
  void sentBesides(Instant now, Duration pace) {
    Instant next = later(free, now).plus(pace);
    Instant last = now.plus(pace.multipliedBy(MOST_BESIDES));
    free = next.isAfter(last) ? later(free, last) : next;
  }

  /**
   * Asks for a turn. A turn that is far off is kept for a fetch that is told to ask again before.
   *
   * @param key of a feed
   * @param isFull whether the sites have no more room for turns
   * @param isLast whether the fetch is sent if it may, and its turn is over
   * @return when to come again; null if the fetch may be sent now
   */
  @Nullable Instant ask(
      long key,
      Haste haste,
      Duration pace,
      Instant rest,
      boolean isFull,
      boolean isLast,
      Instant now) {
    lapse(now);
    if (pace.compareTo(laid.multipliedBy(7).dividedBy(8)) < 0) {
      respace(pace, rest, now);
    }
    Instant earliest = later(later(free, rest), now);
    boolean isFree = !earliest.isAfter(now);
    Turn mine = byKey.get(key);
    if (mine == null) {
      return isFree && !isAwaited(now, pace) ? null : reserve(key, haste, pace, rest, isFull, now);
    }
    if (mine.at.isAfter(now)) {
      if (haste != Haste.POLL && mine.mayYield) {
        overtake(mine);
      }
      return tell(mine, rest, now);
    }
    if (isFree && !isLast) {
      return null;
    }
    remove(mine);
    if (isFree) {
      return null;
    }
    mine.at = earliest;
    mine.mayYield = false;
    add(mine);
    return tell(mine, rest, now);
  }

  /**
   * Gives a fetch its turn at a time or later, as it does not come before; others may then lie
   * before it. A turn that is due stays if its fetch comes soon after. Pings do not take it.
   *
   * @param isFull whether the sites have no more room for turns
   * @return its turn; null if there is no room
   */
  SiteGate.@Nullable Deferred defer(
      long key, Instant at, Duration pace, Instant rest, boolean isFull, Instant now) {
    Turn mine = byKey.get(key);
    if (mine == null) {
      if (isFull || byKey.size() >= MOST) {
        return null;
      }
      mine = new Turn(key, false, at);
      put(mine, at, pace);
    } else if (at.isAfter(mine.at.plus(patience(mine, pace, now)))) {
      remove(mine);
      put(mine, at, pace);
    }
    Instant told = tell(mine, rest, now);
    return new SiteGate.Deferred(later(at, mine.at), told);
  }

  private void put(Turn turn, Instant at, Duration pace) {
    turn.mayYield = false;
    turn.isDeferred = true;
    turn.at = behind(at, pace);
    add(turn);
  }

  /** How much later than its turn a fetch may come that keeps it. */
  private static Duration patience(Turn turn, Duration pace, Instant now) {
    return turn.at.isAfter(now) ? step(pace).minus(pace) : longer(AWAITED, pace);
  }

  /**
   * Asks to send a request that takes no turn, as its caller may not come back.
   *
   * @return when it may be sent if no further fetch asks; null if it may be sent now
   */
  @Nullable Instant look(Duration pace, Instant rest, Instant now) {
    lapse(now);
    Instant earliest = later(later(free, rest), now);
    return earliest.isAfter(now) || isAwaited(now, pace)
        ? bounded(behind(earliest, pace), 0, rest, now)
        : null;
  }

  /** A rest never ends early, and the pace may become faster at any time. */
  private static Instant bounded(Instant at, long key, Instant rest, Instant now) {
    Duration less = Duration.ofMillis(Long.remainderUnsigned(key * 7_919, SPREAD.toMillis()));
    Instant latest = later(rest, now).plus(LONGEST_WAIT);
    return at.isAfter(latest) ? latest.minus(less) : at;
  }

  private static Instant tell(Turn turn, Instant rest, Instant now) {
    turn.told = bounded(turn.at, turn.key, rest, now);
    return turn.told;
  }

  /** The first place behind the queue that no deferred turn needs. */
  private Instant behind(Instant earliest, Duration pace) {
    Duration step = step(pace);
    Instant place = queue.isEmpty() ? earliest : later(earliest, queue.lastKey().plus(step));
    for (Instant deferred : byTime.tailMap(place.minus(step), false).keySet()) {
      if (!deferred.isBefore(place.plus(step))) {
        break;
      }
      place = deferred.plus(step);
    }
    return place;
  }

  /** Whether a turn is due about now. */
  private boolean isAwaited(Instant now, Duration pace) {
    return !byTime.subMap(now.minus(AWAITED), now.plus(pace)).isEmpty();
  }

  private Instant reserve(
      long key, Haste haste, Duration pace, Instant rest, boolean isFull, Instant now) {
    Instant last = behind(later(later(free, rest), now), pace);
    if (isFull || byKey.size() >= MOST) {
      Instant next = beyond.isAfter(last) ? beyond.plus(step(pace)) : last;
      Instant told = bounded(next, key, rest, now);
      beyond = told.isBefore(next) ? last : next;
      return told;
    }
    laid = longer(laid, pace);
    Turn turn = new Turn(key, haste == Haste.POLL, last);
    add(turn);
    if (haste != Haste.POLL) {
      overtake(turn);
    }
    return tell(turn, rest, now);
  }

  private static Duration step(Duration pace) {
    Duration slack = pace.dividedBy(SLACK_PART);
    return pace.plus(slack.compareTo(MOST_SLACK) > 0 ? MOST_SLACK : slack);
  }

  /** Takes the turn of the first poll that has not yielded yet. */
  private void overtake(Turn turn) {
    Map.Entry<Instant, Turn> first = polls.firstEntry();
    if (first == null || !first.getKey().isBefore(turn.at)) {
      return;
    }
    Turn poll = first.getValue();
    Instant at = turn.at;
    remove(turn);
    remove(poll);
    turn.at = poll.at;
    poll.at = at;
    turn.mayYield = false;
    poll.mayYield = false;
    add(turn);
    add(poll);
  }

  /**
   * Lays the turns anew by another pace. Each keeps its place, but none lies before its fetch comes
   * again, and a turn behind it takes that time.
   */
  void respace(Duration pace, Instant rest, Instant now) {
    laid = pace;
    beyond = Instant.MIN;
    PriorityQueue<Turn> away = new PriorityQueue<>(Comparator.comparing((Turn turn) -> turn.told));
    PriorityQueue<Turn> ready = new PriorityQueue<>(Comparator.comparing((Turn turn) -> turn.at));
    byTime.values().stream().filter(turn -> !isLapsed(turn.told, now)).forEach(away::add);
    byKey.clear();
    byTime.clear();
    queue.clear();
    polls.clear();
    Instant next = later(later(free, rest), now);
    while (!away.isEmpty() || !ready.isEmpty()) {
      if (ready.isEmpty()) {
        next = later(next, away.element().told);
      }
      while (!away.isEmpty() && !away.element().told.isAfter(next)) {
        ready.add(away.remove());
      }
      Turn turn = ready.remove();
      turn.at = next;
      add(turn);
      next = turn.at.plus(step(pace));
    }
  }

  private static boolean isLapsed(Instant at, Instant now) {
    return at.isBefore(now.minus(LAPSED));
  }

  private void lapse(Instant now) {
    while (!byTime.isEmpty() && isLapsed(byTime.firstKey(), now)) {
      remove(byTime.firstEntry().getValue());
    }
  }

  private void add(Turn turn) {
    while (byTime.containsKey(turn.at)) {
      turn.at = turn.at.plusMillis(1);
    }
    byKey.put(turn.key, turn);
    byTime.put(turn.at, turn);
    if (!turn.isDeferred) {
      queue.put(turn.at, turn);
    }
    if (turn.mayYield) {
      polls.put(turn.at, turn);
    }
  }

  private void remove(Turn turn) {
    byKey.remove(turn.key);
    byTime.remove(turn.at);
    queue.remove(turn.at, turn);
    polls.remove(turn.at, turn);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
