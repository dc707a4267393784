package io.feedbridge.gateway.testing;

/** Reads Prometheus' text format. */
final class Metrics {

  private Metrics() {}

  /** The value of a meter without labels, or of one line with them; 0 if there is none. */
  static double value(String scraped, String line) {
    return scraped
        .lines()
        .filter(text -> text.startsWith(line + " "))
        .mapToDouble(text -> Double.parseDouble(text.substring(line.length() + 1)))
        .findFirst()
        .orElse(0);
  }
}
