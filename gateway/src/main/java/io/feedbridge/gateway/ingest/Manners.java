package io.feedbridge.gateway.ingest;

import java.time.Duration;

/**
 * How origins are treated.
 *
 * @param hostPause between polls of one host; zero for none
 * @param bursts how pings that come together are made one
 */
public record Manners(Duration hostPause, PingBursts.Pauses bursts) {

  /**
   * As an operator has it.
   *
   * @param pingQuiet how long pings that come together wait for more of them; zero for not waiting
   */
  public Manners(Duration hostPause, Duration pingQuiet) {
    this(hostPause, PingBursts.USUAL.withQuiet(pingQuiet));
  }
}
