package io.feedbridge.gateway.guard;

import java.util.List;

/**
 * How much strangers may ask for.
 *
 * @param pings per caller
 * @param feedPings per caller and feed
 * @param subscriptions requests for subscriptions, or for their end, per caller
 * @param callbacks the same per host of the callback
 * @param feeds that a caller may have followed which were not
 * @param unasked requests to a host that does not show that it wants them
 * @param exempt networks of callers that no limit holds for, in CIDR notation
 */
public record Limits(
    Rate pings,
    Rate feedPings,
    Rate subscriptions,
    Rate callbacks,
    Rate feeds,
    Rate unasked,
    List<String> exempt) {

  /** None but those that protect others. */
  public static final Limits DEFAULT =
      new Limits(
          rate("600/m"),
          rate("60/m"),
          rate("10000/h"),
          rate("20000/h"),
          rate("2000/d"),
          rate("250/h"),
          List.of());

  public Limits {
    exempt = List.copyOf(exempt);
  }

  private static Rate rate(String text) {
    return Rate.parse(text).orElseThrow();
  }
}
