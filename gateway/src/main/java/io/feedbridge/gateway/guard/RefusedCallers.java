package io.feedbridge.gateway.guard;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The callers that were refused lately, and why. It forgets with a restart, and the one that was
 * refused the longest ago where there are more than {@link #MAX}. Thread-safe.
 */
public final class RefusedCallers {

  /** Callers and reasons that are remembered. */
  static final int MAX = 500;

  private final Consumer<Limiter.Kind> counter;
  private final Clock clock;

  /** The last refused is the last; guarded by itself. */
  private final Map<Key, Held> latest = new LinkedHashMap<>();

  private record Key(String caller, Limiter.Kind kind) {}

  /**
   * A caller that was refused.
   *
   * @param caller an IPv4 address, or the first 64 bits of an IPv6 one in hexadecimal
   * @param refusals since the first one that is remembered
   * @param until from when on one more would be admitted, as of the last refusal
   */
  public record Held(
      String caller,
      Limiter.Kind kind,
      String reason,
      long refusals,
      Instant last,
      Instant until) {}

  /**
   * An empty memory.
   *
   * @param counter is told of each refusal; must return at once
   */
  public RefusedCallers(Consumer<Limiter.Kind> counter, Clock clock) {
    this.counter = counter;
    this.clock = clock;
  }

  void add(String caller, Limiter.Kind kind, Refusal refusal) {
    counter.accept(kind);
    Instant now = clock.instant();
    Key key = new Key(caller, kind);
    synchronized (latest) {
      Held before = latest.remove(key);
      long refusals = before == null ? 1 : before.refusals + 1;
      latest.put(
          key, new Held(caller, kind, refusal.reason(), refusals, now, now.plus(refusal.pause())));
      if (latest.size() > MAX) {
        latest.remove(latest.keySet().iterator().next());
      }
    }
  }

  /** The callers that were refused, the last refused first. */
  public List<Held> latest() {
    List<Held> all;
    synchronized (latest) {
      all = new ArrayList<>(latest.values());
    }
    List<Held> newestFirst = new ArrayList<>();
    for (int i = all.size() - 1; i >= 0; i--) {
      newestFirst.add(all.get(i));
    }
    return newestFirst;
  }
}
