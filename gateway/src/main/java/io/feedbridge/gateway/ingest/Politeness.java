package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.guard.FirstFetches;
import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.ingest.throttle.PingBursts;
import java.time.Duration;
import java.util.List;

/**
 * How origins are treated.
 *
 * @param hostPause between polls of one host; zero for none
 * @param bursts how pings that come together are made one
 * @param firstFetches how many first fetches that find no feed a host bears
 * @param exempt networks of callers whose pings have no share of a host's bytes
 * @param paces of requests to sites, where they are not to be learnt alone
 */
public record Politeness(
    Duration hostPause,
    PingBursts.Pauses bursts,
    FirstFetches firstFetches,
    Networks exempt,
    GivenPaces paces) {

  /**
   * As an operator has it.
   *
   * @param pingQuiet how long pings that come together wait for more of them; zero for not waiting
   */
  public Politeness(
      Duration hostPause,
      Duration pingQuiet,
      FirstFetches firstFetches,
      Networks exempt,
      GivenPaces paces) {
    this(hostPause, PingBursts.USUAL.withQuiet(pingQuiet), firstFetches, exempt, paces);
  }

  /** Without a bound on first fetches. */
  public Politeness(Duration hostPause, PingBursts.Pauses bursts) {
    this(hostPause, bursts, FirstFetches.unlimited(), Networks.of(List.of()), GivenPaces.NONE);
  }
}
