package io.feedbridge.gateway.bench.figures;

import org.jspecify.annotations.Nullable;

/**
 * One measured value: the median of the rounds, unless its name says otherwise.
 *
 * @param key the name for programs
 * @param name the name for the user, with its unit
 * @param goal absent if the figure is only shown
 */
public record Figure(String key, String name, double value, @Nullable Goal goal) {

  /** A figure without a goal. */
  public static Figure of(String key, String name, double value) {
    return new Figure(key, name, value, null);
  }

  /** Whether the figure meets its goal, if it has one. */
  public boolean isMet() {
    return goal == null || goal.isMetBy(value);
  }
}
