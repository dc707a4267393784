package io.feedbridge.gateway.delivery.hosts;

/**
 * How many deliveries may be in flight.
 *
 * @param perHost to one host
 * @param total to all; less than the client's connections, of which fetches, verifications and
 *     upstream need some
 * @param unproven of the total, to hosts that have not answered, or not at last
 * @param catchUp of the total, by catch-up
 * @param unprovenCatchUp of the share of catch-up, to hosts that have not answered, or not at last.
 *     Endpoints of webhooks have as large a share of their own
 */
public record DeliveryBounds(
    int perHost, int total, int unproven, int catchUp, int unprovenCatchUp) {

  private static final int TOTAL = 3_500;
  private static final int CATCH_UP = 1_000;

  /** Half of each share is for hosts that answer. */
  public static DeliveryBounds of(int perHost) {
    return new DeliveryBounds(perHost, TOTAL, TOTAL / 2, CATCH_UP, CATCH_UP / 2);
  }
}
