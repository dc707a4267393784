package io.feedbridge.gateway.ingest.hosts;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The turns of the fetches of one site, each with a time at which it is to come again. A ping takes
 * the turn of the first poll, once for each poll. Not thread-safe.
 */
final class SiteTurns {

  /** The most turns of one site; further fetches are told a time, and ask anew then. */
  static final int MOST = 10_000;

  /** The most turns of one site that first looks may take. */
  static final int LOOKS = 16;

  /** A turn that is not taken for this long after its time lapses. */
  private static final Duration LAPSED = Duration.ofMinutes(10);

  /** For how long after its time a turn holds up fetches without one. */
  private static final Duration AWAITED = Duration.ofSeconds(30);

  /** The most that a fetch may come late without delaying the one after it. */
  private static final Duration MOST_SLACK = Duration.ofMillis(1_500);

  private static final int SLACK_PART = 16;

  private final Map<Long, Turn> byKey = new HashMap<>();
  private final NavigableMap<Instant, Turn> byTime = new TreeMap<>();

  /** The turns that a ping may take. */
  private final NavigableMap<Instant, Turn> polls = new TreeMap<>();

  private Instant free = Instant.MIN;
  private Instant beyond = Instant.MIN;
  private int looks;

  private static final class Turn {
    private final long key;
    private boolean mayYield;
    private Instant at;

    Turn(long key, boolean mayYield, Instant at) {
      this.key = key;
      this.mayYield = mayYield;
      this.at = at;
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

  /**
   * Asks for a turn.
   *
   * @param key of a feed; negative for a first look
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
    Instant earliest = later(later(free, rest), now);
    boolean isFree = !earliest.isAfter(now);
    Turn mine = byKey.get(key);
    if (mine == null) {
      return isFree && !isAwaited(now, pace)
          ? null
          : reserve(key, haste, pace, earliest, isFull, now);
    }
    if (mine.at.isAfter(now)) {
      if (haste != Haste.POLL && mine.mayYield) {
        overtake(mine);
      }
      return mine.at;
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
    return add(mine);
  }

  /** Whether a turn is due about now. */
  private boolean isAwaited(Instant now, Duration pace) {
    return !byTime.subMap(now.minus(AWAITED), now.plus(pace)).isEmpty();
  }

  private @Nullable Instant reserve(
      long key, Haste haste, Duration pace, Instant earliest, boolean isFull, Instant now) {
    Duration step = step(pace);
    Instant last = byTime.isEmpty() ? earliest : later(earliest, byTime.lastKey().plus(step));
    if (isFull || byKey.size() >= MOST || (key < 0 && looks >= LOOKS)) {
      beyond = later(beyond.isAfter(now) ? beyond.plus(step) : last, last);
      return beyond;
    }
    Turn turn = new Turn(key, haste == Haste.POLL, last);
    Instant at = add(turn);
    if (haste != Haste.POLL) {
      overtake(turn);
      return turn.at;
    }
    return at;
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
    var unused = add(turn);
    unused = add(poll);
  }

  /** The pace is slower than it was: each turn keeps its place and moves as far as it must. */
  void respace(Duration pace, Instant rest, Instant now) {
    List<Turn> all = new ArrayList<>(byTime.values());
    all.forEach(this::remove);
    Instant next = later(later(free, rest), now);
    for (Turn turn : all) {
      turn.at = later(turn.at, next);
      next = add(turn).plus(step(pace));
    }
  }

  private void lapse(Instant now) {
    while (!byTime.isEmpty() && byTime.firstKey().isBefore(now.minus(LAPSED))) {
      remove(byTime.firstEntry().getValue());
    }
  }

  private Instant add(Turn turn) {
    while (byTime.containsKey(turn.at)) {
      turn.at = turn.at.plusMillis(1);
    }
    byKey.put(turn.key, turn);
    byTime.put(turn.at, turn);
    if (turn.mayYield) {
      polls.put(turn.at, turn);
    }
    looks += turn.key < 0 ? 1 : 0;
    return turn.at;
  }

  private void remove(Turn turn) {
    byKey.remove(turn.key);
    byTime.remove(turn.at);
    polls.remove(turn.at, turn);
    looks -= turn.key < 0 ? 1 : 0;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
