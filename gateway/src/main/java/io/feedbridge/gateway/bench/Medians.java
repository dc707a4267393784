package io.feedbridge.gateway.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What each round measured, by name, and the medians over the rounds. */
final class Medians {

  private final Map<String, List<Double>> values = new LinkedHashMap<>();

  void add(String key, double value) {
    values.computeIfAbsent(key, name -> new ArrayList<>()).add(value);
  }

  /** What was added last under a name. */
  double last(String key) {
    List<Double> all = values.getOrDefault(key, List.of());
    return all.isEmpty() ? Double.NaN : all.get(all.size() - 1);
  }

  /** The median of what was added under a name; not a number if nothing was. */
  double of(String key) {
    List<Double> sorted = values.getOrDefault(key, List.of()).stream().sorted().toList();
    if (sorted.isEmpty()) {
      return Double.NaN;
    }
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
