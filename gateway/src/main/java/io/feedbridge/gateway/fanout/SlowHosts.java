package io.feedbridge.gateway.fanout;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Hosts that a walk has waited for in vain and that have answered nobody since. The walk waits for
 * them no more, and passes over them once others have answered: not before, because a gateway that
 * stands still for a moment hears nothing from anybody. Thread-safe.
 */
final class SlowHosts {

  /**
   * So many answers of others to what was sent since, and none of its own, show that it is the host
   * that is slow.
   */
  static final int ANSWERS_OF_OTHERS = 16;

  /** How many answers there had been before. */
  private final Map<String, Long> before = new ConcurrentHashMap<>();

  private final AtomicLong answers = new AtomicLong();

  /** When the last of them was found slow. */
  private volatile long addedAt = System.nanoTime();

  void add(Set<String> hosts) {
    long now = answers.get();
    for (String host : hosts) {
      if (before.putIfAbsent(host, now) == null) {
        addedAt = System.nanoTime();
      }
    }
  }

  /**
   * A host answered.
   *
   * @param beganAt when it was sent that, by {@link System#nanoTime}: what had been on its way
   *     already when somebody was found slow may only have been read before the answers of the
   *     other, and shows nothing
   */
  void answered(String host, long beganAt) {
    if (beganAt - addedAt > 0) {
      answers.incrementAndGet();
    }
    before.remove(host);
  }

  boolean contains(String host) {
    return before.containsKey(host);
  }

  /** Whether it is slow and others are not. */
  boolean isToBePassed(String host) {
    Long then = before.get(host);
    return then != null && answers.get() - then >= ANSWERS_OF_OTHERS;
  }
}
