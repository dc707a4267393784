package io.feedbridge.gateway.delivery.rounds;

import io.feedbridge.gateway.schedule.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Passes that wait for others, so that a slow host takes no thread from other feeds: all of them
 * together have one, and that only while there are any. Safe for use by several threads.
 */
final class ParkedPasses {

  private final Executor executor;

  /** The conditions that passes wait for, and the task to run after each; guarded by this. */
  private final Map<Parked, Runnable> rests = new HashMap<>();

  /**
   * Whether an entry may end before the time that the watching thread waits for; guarded by this.
   */
  private boolean added;

  /** Whether a thread watches over them; guarded by this. */
  private boolean watched;

  /** Guarded by this. */
  private boolean closed;

  ParkedPasses(Executor executor) {
    this.executor = executor;
  }

  /** Runs {@code then}, which must return at once, when the wait is over. */
  void add(Parked rest, Runnable then) {
    synchronized (this) {
      rests.put(rest, then);
      added = true;
      notifyAll();
      if (watched) {
        return;
      }
      watched = true;
    }
    try {
      executor.execute(this::watch);
    } catch (RejectedExecutionException stopping) {
      // The gateway stops: no pass goes on, and open rounds are resumed at the next start.
      return;
    }
  }

  /** The condition that a parked pass waits for may hold now. */
  synchronized void look() {
    notifyAll();
  }

  /** A parked pass may end its wait earlier than before. */
  synchronized void lookAnew() {
    added = true;
    notifyAll();
  }

  /** Every wait is over from now on. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  private void watch() {
    boolean more = true;
    while (more) {
      Waits.until(this, this::isNews, Duration.ofNanos(nanosLeft()));
      more = wake();
    }
  }

  private synchronized long nanosLeft() {
    added = false;
    return rests.keySet().stream()
        .mapToLong(Parked::nanosLeft)
        .filter(left -> left > 0)
        .min()
        .orElse(0);
  }

  private synchronized boolean isNews() {
    return closed || added || rests.keySet().stream().anyMatch(Parked::isOver);
  }

  /** Wakes the passes whose wait is over; returns whether others are left. */
  private boolean wake() {
    List<Runnable> over = new ArrayList<>();
    boolean more;
    synchronized (this) {
      rests
          .entrySet()
          .removeIf(
              entry -> {
                boolean woken = closed || entry.getKey().isOver();
                if (woken) {
                  over.add(entry.getValue());
                }
                return woken;
              });
      more = !rests.isEmpty();
      watched = more;
    }
    over.forEach(Runnable::run);
    return more;
  }
}
