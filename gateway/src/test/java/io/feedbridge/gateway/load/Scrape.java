package io.feedbridge.gateway.load;

import io.feedbridge.gateway.testing.GatewayProcess;

/** One look at {@code /metrics}. */
record Scrape(String text) {

  static Scrape of(GatewayProcess gateway) {
    return new Scrape(gateway.metrics());
  }

  /**
   * The sum of all lines of a meter whose labels contain some text.
   *
   * @param label such as {@code area="heap"}, or nothing for all lines
   */
  double sum(String meter, String label) {
    return text.lines()
        .filter(line -> line.startsWith(meter + " ") || line.startsWith(meter + "{"))
        .filter(line -> line.contains(label))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  double value(String meter) {
    return sum(meter, "");
  }

  long heapBytes() {
    return (long) sum("jvm_memory_used_bytes", "area=\"heap\"");
  }
}
