package io.feedbridge.gateway.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.feedbridge.gateway.bench.figures.Figure;
import io.feedbridge.gateway.bench.figures.Goal;
import java.io.PrintWriter;
import java.util.List;

/** Writes results, as a table or as JSON. */
final class Report {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int HUNDRED = 100;

  private Report() {}

  static void table(Result result, PrintWriter out) {
    out.printf(
        "(%s) %s%n    %-64s %12s  %s%n",
        result.scenario().letter(),
        result.scenario().title(),
        "median of %d rounds".formatted(result.rounds()),
        "",
        "goal");
    for (Figure figure : result.figures()) {
      out.printf("    %-64s %12s  %s%n", figure.name(), text(figure.value()), goal(figure));
    }
    out.println();
    out.flush();
  }

  private static String goal(Figure figure) {
    Goal goal = figure.goal();
    if (goal == null) {
      return "";
    }
    return "%s %s  %s"
        .formatted(
            goal.atLeast() ? "at least" : "at most",
            text(goal.bound()),
            figure.isMet() ? "met" : "MISSED");
  }

  private static String text(double value) {
    return Double.isNaN(value) ? "-" : String.format(value < HUNDRED ? "%,.2f" : "%,.0f", value);
  }

  static void json(List<Result> results, PrintWriter out) throws JsonProcessingException {
    ArrayNode all = MAPPER.createArrayNode();
    for (Result result : results) {
      ObjectNode one = all.addObject();
      one.put("scenario", result.scenario().letter());
      one.put("title", result.scenario().title());
      one.put("rounds", result.rounds());
      ObjectNode figures = one.putObject("figures");
      for (Figure figure : result.figures()) {
        ObjectNode value = figures.putObject(figure.key());
        value.put("name", figure.name());
        value.put("value", figure.value());
        Goal goal = figure.goal();
        if (goal != null) {
          value.put(goal.atLeast() ? "atLeast" : "atMost", goal.bound());
          value.put("met", figure.isMet());
        }
      }
    }
    out.println(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(all));
    out.flush();
  }
}
