package io.feedbridge.gateway.bench;

import org.jspecify.annotations.Nullable;

/**
 * One thing that was measured: the median of the rounds, unless its name says otherwise.
 *
 * @param name what it is, with its unit
 * @param key the same for programs
 * @param goal absent where it is only told
 */
record Figure(String key, String name, double value, @Nullable Goal goal) {

  static Figure of(String key, String name, double value) {
    return new Figure(key, name, value, null);
  }

  /** Whether it is what it must be. */
  boolean isMet() {
    return goal == null || goal.isMetBy(value);
  }
}
