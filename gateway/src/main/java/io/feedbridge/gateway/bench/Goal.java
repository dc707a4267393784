package io.feedbridge.gateway.bench;

/**
 * The goal of a figure.
 *
 * @param bound a figure at the bound meets the goal
 * @param atLeast whether more is better
 */
record Goal(double bound, boolean atLeast) {

  static Goal atLeast(double bound) {
    return new Goal(bound, true);
  }

  static Goal atMost(double bound) {
    return new Goal(bound, false);
  }

  boolean isMetBy(double value) {
    return atLeast ? value >= bound : value <= bound;
  }
}
