package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The counts of the last hour and of the stored objects as the API shows them. */
public record StatsView(
    List<Point> points,
    List<Feeds> feeds,
    long websubSubscriptions,
    long rsscloudSubscriptions,
    long webhooks,
    long lagging) {

  /** The counts of a minute. */
  public record Point(
      Instant from,
      long pings,
      long entries,
      long fetches,
      long failedFetches,
      long delivered,
      long failedDeliveries) {}

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
        curve("Pings", Point::pings),
        curve("Fetches", Point::fetches, "failed", Point::failedFetches),
        curve("Entries", Point::entries),
        curve("Deliveries", Point::delivered, "failed", Point::failedDeliveries));
  }

  private Curve curve(String name, ToLongFunction<Point> count) {
    return new Curve(name, total(count), "", 0, joined(count));
  }

  private Curve curve(
      String name, ToLongFunction<Point> count, String failed, ToLongFunction<Point> failures) {
    return new Curve(
        name, total(count), failed, total(failures), joined(count) + ";" + joined(failures));
  }

  private long total(ToLongFunction<Point> count) {
    return points.stream().mapToLong(count).sum();
  }

  private String joined(ToLongFunction<Point> count) {
    return points.stream()
        .map(point -> Long.toString(count.applyAsLong(point)))
        .collect(Collectors.joining(","));
  }
}
