package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.Laggard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Who of a walk has not answered, and who is owed a row: what its checkpoints are made of (rule
 * L4). The walk's thread adds and cuts; answers come from any thread.
 *
 * <p>It also says what the walk waits for, and for how long: for a host whose queue is full, for
 * those it has left too far behind, and at its end for the last ones. Either wait on the way lasts
 * at most {@link RoundWalk#PATIENCE} and comes after at least {@link RoundWalk#QUICK} deliveries,
 * so whatever the hosts do, a walk is never slower than the one per the other (rule L3).
 */
final class Tally {

  /** By subscription id, and so by number. */
  private final TreeMap<Long, RoundDelivery> unanswered = new TreeMap<>();

  private final Map<String, Integer> waiting = new HashMap<>();

  private List<Laggard> owed = new ArrayList<>();
  private long made;

  /** When the last answer came, or the end of the walk, by {@link System#nanoTime}. */
  private long movedAt;

  /**
   * What is to be committed at once.
   *
   * @param upTo the checkpoint
   * @param rows of all up to it who were not served, and perhaps of some beyond it
   * @param late those of them whose requests are under way and whose outcomes belong into the rows
   */
  record Cut(long upTo, List<Laggard> rows, List<RoundDelivery> late) {}

  /** Turns one that is left behind into its row. */
  interface LeaveBehind {
    /** The row; in flight if the delivery has begun. */
    Laggard rowOf(RoundDelivery delivery);
  }

  synchronized long made() {
    return made;
  }

  synchronized void add(RoundDelivery delivery) {
    made++;
    unanswered.put(delivery.subscription.id(), delivery);
    waiting.merge(delivery.host, 1, Integer::sum);
  }

  synchronized void owe(Laggard row) {
    owed.add(row);
  }

  synchronized void began(RoundDelivery delivery) {
    waiting.computeIfPresent(delivery.host, (host, count) -> count == 1 ? null : count - 1);
    notifyAll();
  }

  /** Takes one out; false if it was cut before, so that its outcome belongs into its row. */
  synchronized boolean answered(RoundDelivery delivery) {
    movedAt = System.nanoTime();
    notifyAll();
    return unanswered.remove(delivery.subscription.id()) != null;
  }

  /** The same, with the row that it is owed from this moment on. */
  synchronized boolean failed(RoundDelivery delivery, Laggard row) {
    boolean mine = answered(delivery);
    if (mine) {
      owed.add(row);
    }
    return mine;
  }

  /** Whether so many wait for room at a host that the walk is to wait for it. */
  synchronized boolean isFull(String host) {
    return waitingAt(host) >= RoundWalk.MAX_WAITING_PER_HOST;
  }

  /** Waits on this thread, at most so long; whether what it waits for has come. */
  boolean await(Rest wait, Duration atMost) {
    return Waits.until(this, wait::hasCome, atMost);
  }

  /** Until a host has begun enough of those that wait for it. */
  Rest untilRoom(String host) {
    int enough = RoundWalk.MAX_WAITING_PER_HOST - RoundWalk.QUICK;
    long end = System.nanoTime() + RoundWalk.PATIENCE.toNanos();
    return new Rest(() -> waitingAt(host) <= enough, () -> end);
  }

  private synchronized int waitingAt(String host) {
    return waiting.getOrDefault(host, 0);
  }

  /** Until nobody is further behind than that, or each who is has had its time. */
  synchronized Rest untilNoneBehind(long most) {
    RoundDelivery youngest = null;
    for (RoundDelivery delivery : unanswered.values()) {
      if (delivery.number >= made - most) {
        break;
      }
      youngest = delivery;
    }
    long end =
        (youngest == null ? System.nanoTime() : youngest.since + RoundWalk.PATIENCE.toNanos());
    return new Rest(() -> firstNumber() >= made() - most, () -> end);
  }

  private synchronized long firstNumber() {
    return unanswered.isEmpty() ? Long.MAX_VALUE : unanswered.firstEntry().getValue().number;
  }

  /** Until the last answers, as long as some arrive within the patience. */
  synchronized Rest untilAll(Duration atMost) {
    movedAt = System.nanoTime();
    long end = movedAt + atMost.toNanos();
    return new Rest(
        () -> size() == 0, () -> earlier(end, movedAt() + RoundWalk.PATIENCE.toNanos()));
  }

  private static long earlier(long one, long other) {
    return one - other < 0 ? one : other;
  }

  private synchronized long movedAt() {
    return movedAt;
  }

  private synchronized int size() {
    return unanswered.size();
  }

  /**
   * Leaves behind whom the test says, and takes out what is to be committed.
   *
   * @param walked the last subscription that the walk came to
   */
  synchronized Cut cut(long walked, Predicate<RoundDelivery> leaves, LeaveBehind leaveBehind) {
    List<RoundDelivery> late = new ArrayList<>();
    unanswered
        .values()
        .removeIf(
            delivery -> {
              if (!leaves.test(delivery)) {
                return false;
              }
              Laggard row = leaveBehind.rowOf(delivery);
              owed.add(row);
              if (row.inFlight()) {
                late.add(delivery);
              }
              return true;
            });
    List<Laggard> rows = owed;
    owed = new ArrayList<>();
    return new Cut(unanswered.isEmpty() ? walked : unanswered.firstKey() - 1, rows, late);
  }

  /** Everyone who has not answered; nobody is left in here. */
  synchronized List<RoundDelivery> takeAll() {
    List<RoundDelivery> all = List.copyOf(unanswered.values());
    unanswered.clear();
    return all;
  }
}
