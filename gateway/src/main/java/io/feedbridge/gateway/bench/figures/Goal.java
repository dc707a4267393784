package io.feedbridge.gateway.bench.figures;

/**
 * The goal of a figure.
 *
 * @param bound a figure at the bound meets the goal
 * @param atLeast whether more is better
 */
public record Goal(double bound, boolean atLeast) {

  /** A goal that more than the bound meets, too. */
  public static Goal atLeast(double bound) {
    return new Goal(bound, true);
  }

  /** A goal that less than the bound meets, too. */
  public static Goal atMost(double bound) {
    return new Goal(bound, false);
  }

  /** Whether a figure meets the goal. */
  public boolean isMetBy(double value) {
    return atLeast ? value >= bound : value <= bound;
  }
}
