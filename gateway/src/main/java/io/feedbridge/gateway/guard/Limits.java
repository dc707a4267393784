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
 * @param passwords wrong ones per caller
 * @param exempt networks of callers that no limit holds for, in CIDR notation
 */
public record Limits(
    Rate pings,
    Rate feedPings,
    Rate subscriptions,
    Rate callbacks,
    Rate feeds,
    Rate unasked,
    Rate passwords,
    List<String> exempt) {

  public Limits {
    exempt = List.copyOf(exempt);
  }
}
