package io.feedbridge.gateway.bench;

import io.feedbridge.gateway.bench.figures.Figure;
import java.util.List;

/**
 * The result of a scenario.
 *
 * @param rounds the number of measured rounds, without the warm-up
 */
record Result(Scenario scenario, int rounds, List<Figure> figures) {

  Result {
    figures = List.copyOf(figures);
  }

  /** The value of the figure of that key; not a number if there is none. */
  double value(String key) {
    return figures.stream()
        .filter(figure -> figure.key().equals(key))
        .mapToDouble(Figure::value)
        .findFirst()
        .orElse(Double.NaN);
  }
}
