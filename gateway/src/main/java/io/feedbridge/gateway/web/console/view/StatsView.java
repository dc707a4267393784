package io.feedbridge.gateway.web.console.view;

import io.feedbridge.gateway.metrics.Curves;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The counts of the last hour and of the stored objects as the API shows them. */
public record StatsView(
    List<Curves.Point> points,
    List<Feeds> feeds,
    long websubSubscriptions,
    long rsscloudSubscriptions,
    long webhooks,
    long lagging) {

  /** Followed feeds in a state that are followed in a way. */
  public record Feeds(String state, String way, long count) {}

  /**
   * A curve of the last hour.
   *
   * @param name of the count
   * @param failed name of the part that failed; empty for a count that has none
   * @param values numbers of each minute, with the failed ones behind a semicolon
   */
  public record Curve(String name, long total, String failed, long failures, String values) {}

  /** Feeds that are followed. */
  public long followed() {
    return feeds.stream().mapToLong(Feeds::count).sum();
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
        curve("Deliveries", Curves.Point::delivered, "failed", Curves.Point::failedDeliveries));
  }

  private Curve curve(String name, ToLongFunction<Curves.Point> count) {
    return new Curve(name, total(count), "", 0, joined(count));
  }

  private Curve curve(
      String name,
      ToLongFunction<Curves.Point> count,
      String failed,
      ToLongFunction<Curves.Point> failures) {
    return new Curve(
        name, total(count), failed, total(failures), joined(count) + ";" + joined(failures));
  }

  private long total(ToLongFunction<Curves.Point> count) {
    return points.stream().mapToLong(count).sum();
  }

  private String joined(ToLongFunction<Curves.Point> count) {
    return points.stream()
        .map(point -> Long.toString(count.applyAsLong(point)))
        .collect(Collectors.joining(","));
  }
}
