package io.feedbridge.gateway.delivery.hosts;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Hosts that a pass has waited for in vain and that have sent no answer since. The pass waits for
 * them no more, and passes over them once other hosts have answered: not before, because a gateway
 * that stands still for a moment receives no answers at all. Thread-safe.
 */
public final class SlowHosts {

  /**
   * So many answers of other hosts to requests sent since, and none of the host's own, show that
   * the host is slow.
   */
  public static final int ANSWERS_OF_OTHERS = 16;

  /** The number of answers counted when each host was added. */
  private final Map<String, Long> before = new ConcurrentHashMap<>();

  private final AtomicLong answers = new AtomicLong();

  /** When a host was last found slow. */
  private volatile long addedAt = System.nanoTime();

  public void add(Set<String> hosts) {
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
   * @param beganAt when the answered request was sent, by {@link System#nanoTime}. An answer to a
   *     request that was under way already when a host was found slow shows nothing: it may only
   *     have been read before the slow host's answer
   */
  public void answered(String host, long beganAt) {
    if (beganAt - addedAt > 0) {
      answers.incrementAndGet();
    }
    before.remove(host);
  }

  public boolean contains(String host) {
    return before.containsKey(host);
  }

  /** Whether the host is slow while others answer. */
  public boolean isToBePassed(String host) {
    Long then = before.get(host);
    return then != null && answers.get() - then >= ANSWERS_OF_OTHERS;
  }
}
