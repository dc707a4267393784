package io.feedbridge.gateway.admission;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * At most so many at once for each key, and in all. The surplus of a key may wait in a line of its
 * own, which is bounded, so that one key delays no other. A permit that is given back goes to the
 * waiting key that has the fewest permits. A key without permits and waiting values costs no
 * memory. Never blocks; safe for use by several threads.
 *
 * @param <K> keys, by their equality
 * @param <W> the values that wait
 */
public final class Permits<K, W> {

  /**
   * The bounds of permits.
   *
   * @param perKey permits of one key: its share
   * @param total permits of all keys together
   * @param reserved permits of the total that only a key without a permit can take
   * @param waitingPerKey values of one key that wait for a permit
   * @param waiting values of all keys that wait
   */
  public record Bounds(int perKey, int total, int reserved, int waitingPerKey, int waiting) {

    /** Refuses a share that is all there is: one key could take everything. */
    public Bounds {
      if (perKey < 1 || perKey >= total || reserved < 0 || reserved >= total) {
        throw new IllegalArgumentException("one key must not be able to take all permits");
      }
    }

    /** Permits of each key alone, without lines. */
    public static Bounds perKey(int most) {
      return new Bounds(most, Integer.MAX_VALUE, 0, 0, 0);
    }

    /** Permits without lines. */
    public static Bounds of(int perKey, int total) {
      return new Bounds(perKey, total, 0, 0, 0);
    }
  }

  /** The answer to a request for a permit. */
  public enum Answer {
    TAKEN,
    WAITS,
    REFUSED
  }

  /** A value that has waited, and has a permit of its key now. */
  public record Next<K, W>(K key, W value) {}

  private final Bounds bounds;

  /** The keys with permits or waiting values; guarded by this, like all further fields. */
  private final Map<K, Line<W>> keys = new HashMap<>();

  private int total;
  private int waiting;
  private long arrivals;

  private record Waiting<W>(long arrival, W value) {}

  private static final class Line<W> {
    private final Deque<Waiting<W>> waiting = new ArrayDeque<>();
    private int taken;

    private long firstArrival() {
      return waiting.element().arrival;
    }
  }

  /** All permits are free. */
  public Permits(Bounds bounds) {
    this.bounds = bounds;
  }

  /** Takes a permit if there is one; nothing waits. */
  public synchronized boolean tryTake(K key) {
    if (!hasRoom(taken(key))) {
      return false;
    }
    keys.computeIfAbsent(key, any -> new Line<>()).taken++;
    total++;
    return true;
  }

  /** Whether a key could take a permit now. */
  public synchronized boolean hasRoom(K key) {
    return hasRoom(taken(key));
  }

  private boolean hasRoom(int taken) {
    return taken < bounds.perKey && total < bounds.total - (taken == 0 ? 0 : bounds.reserved);
  }

  /** Takes a permit, or lets a value wait for one. */
  public synchronized Answer take(K key, W value) {
    if (tryTake(key)) {
      return Answer.TAKEN;
    }
    Line<W> line = keys.get(key);
    int before = line == null ? 0 : line.waiting.size();
    if (before >= bounds.waitingPerKey || waiting >= bounds.waiting) {
      return Answer.REFUSED;
    }
    keys.computeIfAbsent(key, any -> new Line<>()).waiting.add(new Waiting<>(arrivals++, value));
    waiting++;
    return Answer.WAITS;
  }

  /**
   * Gives a permit back, or on.
   *
   * @return the value that has a permit now; empty if none waited
   * @throws IllegalStateException if the key has no permit
   */
  public synchronized Optional<Next<K, W>> giveBack(K key) {
    Line<W> line = keys.get(key);
    if (line == null || line.taken == 0) {
      throw new IllegalStateException("a permit was given back twice");
    }
    // While there is room for all, only the surplus of the key itself can wait for this permit.
    boolean crowded = total >= bounds.total - bounds.reserved;
    total--;
    line.taken--;
    Optional<Next<K, W>> next =
        crowded ? nextOfAll() : Optional.of(key).filter(this::canGo).map(this::goes);
    forgetIfIdle(key, line);
    return next;
  }

  private Optional<Next<K, W>> nextOfAll() {
    return waiting == 0
        ? Optional.empty()
        : keys.entrySet().stream()
            .filter(one -> canGo(one.getKey()))
            .min(
                Comparator.<Map.Entry<K, Line<W>>>comparingInt(one -> one.getValue().taken)
                    .thenComparingLong(one -> one.getValue().firstArrival()))
            .map(one -> goes(one.getKey()));
  }

  private boolean canGo(K key) {
    Line<W> line = keys.get(key);
    return line != null && !line.waiting.isEmpty() && hasRoom(line.taken);
  }

  private Next<K, W> goes(K key) {
    Line<W> line = keys.get(key);
    if (line == null) {
      throw new IllegalStateException("the key has no line");
    }
    line.taken++;
    total++;
    waiting--;
    return new Next<>(key, line.waiting.remove().value);
  }

  private void forgetIfIdle(K key, Line<W> line) {
    if (line.taken == 0 && line.waiting.isEmpty()) {
      keys.remove(key);
    }
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

  /** Keys with permits that can take no further one now. */
  public synchronized Set<K> full() {
    return keys.entrySet().stream()
        .filter(one -> one.getValue().taken > 0 && !hasRoom(one.getValue().taken))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
