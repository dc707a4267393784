package io.feedbridge.gateway.client;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bound on all connections. A pool that has none and gets no permit is remembered; a permit
 * given back goes straight to the pool that has waited longest, so that a busy pool cannot take
 * back at once what it gave up. Thread-safe.
 */
final class ConnectionBudget {
  private final int most;
  private final AtomicInteger used = new AtomicInteger();
  private final Queue<HostPool> starved = new ConcurrentLinkedQueue<>();

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
    HostPool next = starved.poll();
    if (next != null) {
      next.grant();
      return;
    }
    used.decrementAndGet();
    // Somebody may have begun to wait between the two lines.
    grantFree();
  }

  /** Remembers a pool that got no permit. It may be granted one before this returns. */
  void await(HostPool pool) {
    starved.add(pool);
    grantFree();
  }

  private void grantFree() {
    while (!starved.isEmpty() && acquire()) {
      HostPool next = starved.poll();
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
