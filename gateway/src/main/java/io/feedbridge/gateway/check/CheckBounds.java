package io.feedbridge.gateway.check;

import java.time.Duration;

/**
 * The times for which a check waits.
 *
 * @param answers of hubs and clouds, to a subscription and to a ping
 * @param verification of a subscription by a hub
 * @param delivery after the ping
 */
public record CheckBounds(Duration answers, Duration verification, Duration delivery) {

  private static final Duration ANSWERS = Duration.ofSeconds(15);
  private static final Duration VERIFICATION = Duration.ofSeconds(15);
  private static final Duration DELIVERY = Duration.ofSeconds(60);

  /** The usual times. */
  public static final CheckBounds USUAL =
      new CheckBounds(CheckBounds.ANSWERS, CheckBounds.VERIFICATION, CheckBounds.DELIVERY);
}
