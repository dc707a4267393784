package io.feedbridge.gateway.delivery.hosts;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Begins the deliveries that were given a place, one after the other: a delivery that is answered
 * while it begins leaves at once, and the next must not begin on top of its stack. Thread-safe.
 */
final class Beginnings {

  private final Deque<Runnable> waiting = new ArrayDeque<>();

  /** Whether a thread is beginning them. */
  private boolean busy;

  synchronized void add(Runnable beginning) {
    waiting.add(beginning);
  }

  /** Begins all that wait, unless another thread does so already. */
  void run() {
    RuntimeException failure = null;
    for (Runnable next = next(false); next != null; next = next(true)) {
      try {
        next.run();
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * The next to begin.
   *
   * @param mine whether this thread is the one that begins them; there is only one at a time
   */
  private synchronized @Nullable Runnable next(boolean mine) {
    if (busy && !mine) {
      return null;
    }
    Runnable next = waiting.poll();
    busy = next != null;
    return next;
  }
}
