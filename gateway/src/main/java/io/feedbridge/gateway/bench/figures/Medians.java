package io.feedbridge.gateway.bench.figures;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The measured values of each round, by name, and the medians over the rounds. */
public final class Medians {

  private final Map<String, List<Double>> values = new LinkedHashMap<>();

  /** Adds the value of a round under a name. */
  public void add(String key, double value) {
    values.computeIfAbsent(key, name -> new ArrayList<>()).add(value);
  }

  /** The latest value under a name. */
  public double last(String key) {
    List<Double> all = values.getOrDefault(key, List.of());
    return all.isEmpty() ? Double.NaN : all.get(all.size() - 1);
  }

  /** The median of the values under a name; not a number if there is none. */
  public double of(String key) {
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
