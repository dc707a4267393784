package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.crash.Fact.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the judge found.
 *
 * @param ends how lives ended, and how often
 * @param events in the log, as far as somebody got them
 * @param pairs of a publish and a subscription that it was to reach
 * @param bound of the duplicates, over all kills
 * @param topic how the topic in Kafka compares with the log
 * @param recoveries from launch to ready, of the starts after a kill
 * @param faults all of them
 */
record Report(
    Map<String, Integer> ends,
    int starts,
    int publishes,
    int events,
    int followers,
    long deliveries,
    long pairs,
    long duplicates,
    long bound,
    TopicFigures topic,
    List<Duration> recoveries,
    List<Fault> faults) {

  private static final int SHOWN = 12;

  int kills() {
    return ends.entrySet().stream()
        .filter(end -> !end.getKey().equals(Kill.STOPPED))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  /** How often a rule was broken. */
  long count(Rule rule) {
    return faults.stream().filter(fault -> fault.rule() == rule).count();
  }

  /** The figures, with those faults that fit. */
  String table(long seed, Set<String> notPlanted, Duration took, int errors) {
    StringBuilder text = new StringBuilder("\n");
    row(text, "seed", seed);
    row(text, "kills", kills());
    new TreeMap<>(ends).forEach((how, times) -> row(text, "  " + how, times));
    if (!notPlanted.isEmpty()) {
      row(text, "  not planted or left out", String.join(", ", notPlanted));
    }
    row(text, "starts", starts);
    row(text, "publishes answered 2xx", publishes);
    row(text, "events", events);
    row(text, "subscriptions", followers);
    row(text, "deliveries", deliveries);
    row(text, "publish × subscription", pairs);
    for (Rule rule : Rule.values()) {
      row(text, rule.name().toLowerCase(Locale.ROOT), count(rule));
    }
    row(text, "deliveries that came twice", duplicates + " (bound " + bound + ")");
    if (!topic.equals(TopicFigures.NONE)) {
      row(text, "topic in Kafka", topic);
    }
    row(text, "from start to ready", times());
    row(text, "errors logged", errors);
    row(text, "time taken", took.toSeconds() + " s");
    faults.stream().limit(SHOWN).forEach(fault -> row(text, "! " + fault.rule(), fault.what()));
    return text.toString();
  }

  private String times() {
    List<Duration> sorted = new ArrayList<>(recoveries);
    Collections.sort(sorted);
    return sorted.isEmpty()
        ? "-"
        : "median %d ms, 95th percentile %d ms, max %d ms"
            .formatted(
                sorted.get(sorted.size() / 2).toMillis(),
                sorted.get((int) Math.ceil(sorted.size() * 0.95) - 1).toMillis(),
                sorted.get(sorted.size() - 1).toMillis());
  }

  private static void row(StringBuilder text, String name, Object value) {
    text.append("%-28s %s%n".formatted(name, value));
  }
}
