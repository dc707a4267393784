package io.feedbridge.gateway.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** When things happened. Safe for use by several threads. */
final class Rhythm {

  private final List<Long> times = new ArrayList<>();

  synchronized void beat() {
    times.add(System.nanoTime());
  }

  synchronized int count() {
    return times.size();
  }

  /** How many there were within any such span, at most. */
  synchronized int mostWithin(Duration span) {
    int most = 0;
    int from = 0;
    for (int to = 0; to < times.size(); to++) {
      while (times.get(to) - times.get(from) > span.toNanos()) {
        from++;
      }
      most = Math.max(most, to - from + 1);
    }
    return most;
  }
}
