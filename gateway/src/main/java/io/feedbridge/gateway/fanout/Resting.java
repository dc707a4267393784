package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.schedule.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Walks that wait for others, so that a slow host takes no thread from other feeds: all of them
 * together have one, and that only while there are any. Safe for use by several threads.
 */
final class Resting {

  private final Executor executor;

  /** What each waits for, and what is to be done then; guarded by this. */
  private final Map<Rest, Runnable> rests = new HashMap<>();

  /** Whether there may be one whose time is over before that of all others; guarded by this. */
  private boolean added;

  /** Whether a thread watches over them; guarded by this. */
  private boolean watched;

  /** Guarded by this. */
  private boolean closed;

  Resting(Executor executor) {
    this.executor = executor;
  }

  /** Runs {@code then}, which must return at once, when the rest is over. */
  void add(Rest rest, Runnable then) {
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
      // Nobody goes on any more; what was open is resumed at the next start.
      return;
    }
  }

  /** What one of them waits for may have come. */
  synchronized void look() {
    notifyAll();
  }

  /** One of them may be over earlier than it was to be. */
  synchronized void lookAnew() {
    added = true;
    notifyAll();
  }

  /** Every rest is over from now on. */
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
        .mapToLong(Rest::nanosLeft)
        .filter(left -> left > 0)
        .min()
        .orElse(0);
  }

  private synchronized boolean isNews() {
    return closed || added || rests.keySet().stream().anyMatch(Rest::isOver);
  }

  /** Wakes whose rest is over; says whether others are left. */
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
