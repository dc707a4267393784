package io.feedbridge.gateway.delivery.hosts;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The callbacks of one host that left their last request unanswered. A callback is silent by itself
 * when its host has answered another request since: such a silence says nothing of the host.
 * Guarded by {@link HostBulkheads}.
 */
final class SilentCallbacks {

  /** Silent callbacks that are remembered of one host; beyond them the oldest is forgotten. */
  static final int MAX_REMEMBERED = 256;

  /**
   * How long an answer of a host shows that a callback is silent by itself: a host on which nothing
   * answers for longer is silent as a whole.
   */
  static final Duration ANSWER_COUNTS_FOR = Duration.ofMinutes(10);

  /** Callbacks that are silent by themselves have one of so many places of their host. */
  static final int PART = 4;

  /** Hashes of callbacks, each with the host's answers until it was found silent. */
  private final Map<Integer, Long> silent = new LinkedHashMap<>();

  private long answers;
  private Instant answeredAt = Instant.MIN;
  private int inFlight;

  /** The answers of the host so far. */
  long answers() {
    return answers;
  }

  boolean isEmpty() {
    return silent.isEmpty();
  }

  /** Whether the callback left its last request unanswered. */
  boolean contains(String callback) {
    return silent.containsKey(callback.hashCode());
  }

  /** Whether the callback is silent while its host answers. */
  boolean isByItself(String callback) {
    Long before = silent.get(callback.hashCode());
    return before != null && answers > before;
  }

  /** Whether one more request to callbacks that are silent by themselves may be under way. */
  boolean hasRoom(int size) {
    return inFlight < Math.max(1, size / PART);
  }

  /** A request to a callback that is silent by itself began (1) or ended (-1). */
  void count(int one) {
    inFlight += one;
  }

  void answered(String callback, Instant now) {
    answers++;
    answeredAt = now;
    silent.remove(callback.hashCode());
  }

  /**
   * A request was not answered.
   *
   * @param before the answers of the host when the request began
   * @return whether that is the callback's own silence, and none of its host
   */
  boolean silent(String callback, long before, Instant now) {
    boolean own =
        answers > before
            || (isByItself(callback) && answeredAt.plus(ANSWER_COUNTS_FOR).isAfter(now));
    silent.putIfAbsent(callback.hashCode(), before);
    if (silent.size() > MAX_REMEMBERED) {
      silent.remove(silent.keySet().iterator().next());
    }
    return own;
  }
}
