package io.feedbridge.gateway.testing;

/** Reads Prometheus' text format. */
final class Metrics {

  private Metrics() {}

  /** The sum of a meter's lines, or the value of one line with its labels; 0 if there is none. */
  static double value(String scraped, String line) {
    return scraped
        .lines()
        .filter(text -> text.startsWith(line + " ") || text.startsWith(line + "{"))
        .mapToDouble(text -> Double.parseDouble(text.substring(text.lastIndexOf(' ') + 1)))
        .sum();
  }
}
