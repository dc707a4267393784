package io.feedbridge.gateway.schedule;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * At most so many at once for each key, and in all. The surplus of a key may wait in a line of its
 * own, which is bounded, so that one key delays no other; a permit that is given back goes to the
 * next in the line of its key. A key without permits costs no memory. Never blocks; safe for use by
 * several threads.
 *
 * @param <K> keys, by their equality
 * @param <W> the values that wait
 */
public final class Permits<K, W> {

  /**
   * The bounds of permits.
   *
   * @param perKey permits of one key
   * @param total permits of all keys together; beyond these nothing waits
   * @param waitingPerKey values of one key that wait for one of its permits
   */
  public record Bounds(int perKey, int total, int waitingPerKey) {

    /** Permits of each key alone, without lines. */
    public static Bounds perKey(int most) {
      return new Bounds(most, Integer.MAX_VALUE, 0);
    }
  }

  /** The answer to a request for a permit. */
  public enum Answer {
    TAKEN,
    WAITS,
    REFUSED
  }

  private final Bounds bounds;

  /** The keys with permits; guarded by this, like the next field. */
  private final Map<K, Line<W>> keys = new HashMap<>();

  private int total;

  private static final class Line<W> {
    private final Deque<W> waiting = new ArrayDeque<>();
    private int taken;
  }

  /** All permits are free. */
  public Permits(Bounds bounds) {
    this.bounds = bounds;
  }

  /** Takes a permit if there is one; nothing waits. */
  public synchronized boolean tryTake(K key) {
    if (total >= bounds.total || taken(key) >= bounds.perKey) {
      return false;
    }
    keys.computeIfAbsent(key, any -> new Line<>()).taken++;
    total++;
    return true;
  }

  /** Takes a permit, or lets a value wait for one of this key. */
  public synchronized Answer take(K key, W value) {
    if (tryTake(key)) {
      return Answer.TAKEN;
    }
    Line<W> line = keys.get(key);
    if (line == null || line.taken < bounds.perKey || line.waiting.size() >= bounds.waitingPerKey) {
      return Answer.REFUSED;
    }
    line.waiting.add(value);
    return Answer.WAITS;
  }

  /**
   * Gives a permit back, or on.
   *
   * @return the value that has the permit now; empty if none waited
   * @throws IllegalStateException if the key has no permit
   */
  public synchronized Optional<W> giveBack(K key) {
    Line<W> line = keys.get(key);
    if (line == null) {
      throw new IllegalStateException("a permit was given back twice");
    }
    Optional<W> next = Optional.ofNullable(line.waiting.poll());
    if (next.isEmpty()) {
      total--;
      if (--line.taken == 0) {
        keys.remove(key);
      }
    }
    return next;
  }

  /** Permits of one key that are taken. */
  public synchronized int taken(K key) {
    Line<W> line = keys.get(key);
    return line == null ? 0 : line.taken;
  }

  /** Permits of all keys that are taken. */
  public synchronized int taken() {
    return total;
  }

  /** Keys that have all their permits. */
  public synchronized Set<K> full() {
    return keys.entrySet().stream()
        .filter(one -> one.getValue().taken >= bounds.perKey)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
