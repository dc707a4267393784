package io.feedbridge.gateway.web.console.view;

import io.feedbridge.gateway.metrics.Curves;
import io.feedbridge.gateway.web.api.model.Stats;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The figures of the API as curves and texts. */
public record StatsView(Stats stats) {

  /**
   * A curve of the last hour.
   *
   * @param name of the numbers
   * @param said the number that stands beside the name
   * @param second name of a second row of numbers, such as the part that failed; empty for none
   * @param secondSaid the number that stands beside that name
   * @param values a number or nothing for each minute, with the second row behind a semicolon
   */
  public record Curve(String name, String said, String second, String secondSaid, String values) {}

  /** Feeds that are followed. */
  public long followed() {
    return stats.feeds().stream().mapToLong(Stats.Feeds::count).sum();
  }

  /** When each minute began, in Unix seconds. */
  public String times() {
    return joined(point -> point.from().getEpochSecond());
  }

  /** The curves, in the order of the way of the data. */
  public List<Curve> curves() {
    return List.of(
        curve("Pings", Curves.Point::pings),
        curve("Fetches", Curves.Point::fetches, "failed", Curves.Point::failedFetches),
        curve("Entries", Curves.Point::entries),
        curve("Deliveries", Curves.Point::delivered, "failed", Curves.Point::failedDeliveries),
        new Curve(
            "Ping to first delivery, ms",
            newest(Curves.Point::firstDeliveryP50),
            "99 % within",
            newest(Curves.Point::firstDeliveryP99),
            joined(Curves.Point::firstDeliveryP50) + ";" + joined(Curves.Point::firstDeliveryP99)));
  }

  /** The last number that there is. */
  private String newest(Function<Curves.Point, @Nullable Long> number) {
    return stats.points().stream()
        .map(number)
        .filter(Objects::nonNull)
        .reduce((before, after) -> after)
        .map(Text::number)
        .orElse("–");
  }

  private Curve curve(String name, ToLongFunction<Curves.Point> count) {
    return new Curve(name, total(count), "", "", joined(count::applyAsLong));
  }

  private Curve curve(
      String name,
      ToLongFunction<Curves.Point> count,
      String failed,
      ToLongFunction<Curves.Point> failures) {
    return new Curve(
        name,
        total(count),
        failed,
        total(failures),
        joined(count::applyAsLong) + ";" + joined(failures::applyAsLong));
  }

  private String total(ToLongFunction<Curves.Point> count) {
    return Text.number(stats.points().stream().mapToLong(count).sum());
  }

  private String joined(Function<Curves.Point, @Nullable Long> number) {
    return stats.points().stream()
        .map(point -> Objects.toString(number.apply(point), ""))
        .collect(Collectors.joining(","));
  }
}
