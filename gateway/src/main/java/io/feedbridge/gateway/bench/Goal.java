package io.feedbridge.gateway.bench;

/**
 * What a figure must be.
 *
 * @param bound it is met at the bound too
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
