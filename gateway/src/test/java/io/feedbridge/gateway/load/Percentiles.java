package io.feedbridge.gateway.load;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;

/** Sorted delays, in nanoseconds. */
final class Percentiles {

  private final long[] sorted;

  Percentiles(long[] delays) {
    sorted = delays.clone();
    Arrays.sort(sorted);
  }

  static Percentiles of(Collection<Long> delays) {
    return new Percentiles(delays.stream().mapToLong(Long::longValue).toArray());
  }

  /** All of several together. */
  static Percentiles pooled(Collection<Percentiles> several) {
    return new Percentiles(
        several.stream().flatMapToLong(one -> Arrays.stream(one.sorted)).toArray());
  }

  /** The delay that so many in a hundred do not exceed. */
  Duration at(double percent) {
    if (sorted.length == 0) {
      throw new IllegalStateException("there are no delays");
    }
    int rank = (int) Math.ceil(sorted.length * percent / 100);
    return Duration.ofNanos(sorted[Math.max(0, rank - 1)]);
  }

  Duration p99() {
    return at(99);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "median %,d ms, p90 %,d ms, p99 %,d ms, most %,d ms (%,d delays)",
        at(50).toMillis(),
        at(90).toMillis(),
        p99().toMillis(),
        at(100).toMillis(),
        sorted.length);
  }
}
