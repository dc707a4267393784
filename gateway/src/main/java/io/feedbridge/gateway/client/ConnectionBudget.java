package io.feedbridge.gateway.client;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bound on all connections. A pool that has no connection and gets no permit is remembered; a
 * permit given back goes straight to the pool that has waited longest, so that a busy pool cannot
 * at once take back the permit it gave up. Thread-safe.
 */
final class ConnectionBudget {
  private final int most;
  private final AtomicInteger used = new AtomicInteger();
  private final Queue<Starved> starved = new ConcurrentLinkedQueue<>();

  /** A pool that has no connection and got no permit. */
  interface Starved {
    /** It is given one. Called from any thread. */
    void grant();
  }

  ConnectionBudget(int most) {
    this.most = most;
  }

  boolean acquire() {
    int now = used.get();
    while (now < most) {
      if (used.compareAndSet(now, now + 1)) {
        return true;
      }
      now = used.get();
    }
    return false;
  }

  /** Gives a permit back, or on. */
  void release() {
    Starved next = starved.poll();
    if (next != null) {
      next.grant();
      return;
    }
    used.decrementAndGet();
    // Another pool may have begun to wait between the two lines.
    grantFree();
  }

  /** Remembers a pool that got no permit. It may be granted one before this returns. */
  void await(Starved pool) {
    starved.add(pool);
    grantFree();
  }

  private void grantFree() {
    while (!starved.isEmpty() && acquire()) {
      Starved next = starved.poll();
      if (next != null) {
        next.grant();
      } else {
        used.decrementAndGet();
      }
    }
  }

  boolean contended() {
    return !starved.isEmpty();
  }

  int used() {
    return used.get();
  }
}
