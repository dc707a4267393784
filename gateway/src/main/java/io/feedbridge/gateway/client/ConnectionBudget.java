package io.feedbridge.gateway.client;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bound on all connections. A pool that gets none is remembered, and woken when one has been
 * given back: each permit given back wakes one pool, and a pool that has no use for it wakes the
 * next. Thread-safe.
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

  void release() {
    used.decrementAndGet();
    wakeNext();
  }

  /** Remembers a pool that got no permit. It may be woken before this returns. */
  void await(HostPool pool) {
    starved.add(pool);
    wakeNext();
  }

  /** Wakes a pool if there is a permit for it. */
  void wakeNext() {
    if (used.get() < most) {
      HostPool pool = starved.poll();
      if (pool != null) {
        pool.wake();
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
