package io.feedbridge.gateway.bench;

import java.util.List;

/**
 * What a scenario showed.
 *
 * @param rounds that were measured, the warm-up not counted
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
