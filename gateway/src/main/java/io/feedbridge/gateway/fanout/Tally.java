package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.schedule.Waits;
import io.feedbridge.gateway.store.Laggard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Who of a walk has not answered, and who is owed a row: what its checkpoints are made of (rule
 * L4). The walk's thread adds and cuts; answers come from any thread.
 *
 * <p>It also sets the walk's pace. The walk waits for others twice: for a host whose queue is full,
 * and for those it has left too far behind. Either wait lasts at most {@link RoundWalk#PATIENCE}
 * and comes after at least {@link RoundWalk#QUICK} deliveries, so whatever the hosts do, a walk is
 * never slower than the one per the other (rule L3).
 */
final class Tally {

  /** By subscription id, and so by number. */
  private final TreeMap<Long, RoundDelivery> unanswered = new TreeMap<>();

  private final Map<String, Integer> waiting = new HashMap<>();

  /** Hosts for which the walk waited in vain; for its own thread only. */
  private final Set<String> slow = new HashSet<>();

  private List<Laggard> owed = new ArrayList<>();
  private long made;

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
    boolean mine = unanswered.remove(delivery.subscription.id()) != null;
    notifyAll();
    return mine;
  }

  /** The same, with the row that it is owed from this moment on. */
  synchronized boolean failed(RoundDelivery delivery, Laggard row) {
    boolean mine = answered(delivery);
    if (mine) {
      owed.add(row);
    }
    return mine;
  }

  /**
   * Whether a host takes one more; waits for a queue that is full, unless that was in vain before.
   */
  boolean hasRoom(String host) {
    if (waitingAt(host) < RoundWalk.MAX_WAITING_PER_HOST) {
      return true;
    }
    int enough = RoundWalk.MAX_WAITING_PER_HOST - RoundWalk.QUICK;
    boolean quick =
        !slow.contains(host)
            && Waits.until(this, () -> waitingAt(host) <= enough, RoundWalk.PATIENCE);
    if (!quick) {
      slow.add(host);
    }
    return quick;
  }

  private synchronized int waitingAt(String host) {
    return waiting.getOrDefault(host, 0);
  }

  /** Waits until nobody is further behind than that, or each who is has had its time. */
  void awaitBehind(long most) {
    Optional<RoundDelivery> youngest = youngestBehind(most);
    if (youngest.isPresent()) {
      long had = System.nanoTime() - youngest.get().since;
      var unused =
          Waits.until(this, () -> firstNumber() >= made - most, RoundWalk.PATIENCE.minusNanos(had));
    }
  }

  private synchronized Optional<RoundDelivery> youngestBehind(long most) {
    RoundDelivery youngest = null;
    for (RoundDelivery delivery : unanswered.values()) {
      if (delivery.number >= made - most) {
        break;
      }
      youngest = delivery;
    }
    return Optional.ofNullable(youngest);
  }

  private synchronized long firstNumber() {
    return unanswered.isEmpty() ? Long.MAX_VALUE : unanswered.firstEntry().getValue().number;
  }

  /** Waits for the last answers as long as some arrive within the patience. */
  void awaitAll(Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    boolean moving = true;
    while (moving && size() > 0 && System.nanoTime() < end) {
      int before = size();
      moving = Waits.until(this, () -> size() < before, RoundWalk.PATIENCE);
    }
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
