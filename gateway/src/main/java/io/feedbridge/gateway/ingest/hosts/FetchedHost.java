package io.feedbridge.gateway.ingest.hosts;

import java.time.Duration;

/**
 * A host that feeds were fetched from lately, as it stands now.
 *
 * @param host name or address, without a port
 * @param state the expectation of its answers
 * @param permits requests that it may have at once
 * @param underWay requests that it has
 * @param waiting fetches that wait for it
 * @param took the usual time of one fetch
 */
public record FetchedHost(
    String host,
    OriginWindow.Standing state,
    int permits,
    int underWay,
    int waiting,
    Duration took) {

  static FetchedHost of(String host, OriginWindow window, int underWay, int waiting) {
    return new FetchedHost(
        host, window.standing(), window.size(), underWay, waiting, window.took());
  }
}
