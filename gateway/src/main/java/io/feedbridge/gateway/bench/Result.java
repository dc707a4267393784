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
}
