package io.feedbridge.normalizer;

/**
 * The number of generated cases that a test reads. The build reads few; the profile {@code fuzz}
 * multiplies them by the property {@code feedbridge.samples}.
 */
final class Samples {
  private Samples() {}

  /** The build's number of cases, times the property. */
  static int of(int inTheBuild) {
    return inTheBuild * Integer.getInteger("feedbridge.samples", 1);
  }
}
