package io.feedbridge.gateway.ingest;

import java.time.Duration;

/**
 * How origins are treated.
 *
 * @param userAgent how the gateway names itself
 * @param hostPause between polls of one host; zero for none
 * @param bursts how pings that come together are made one
 */
public record Manners(UserAgent userAgent, Duration hostPause, PingBursts.Pauses bursts) {

  /** With the usual patience for pings that come together. */
  public Manners(UserAgent userAgent, Duration hostPause) {
    this(userAgent, hostPause, PingBursts.USUAL);
  }
}
