package io.feedbridge.gateway.delivery.hosts;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a host of callbacks at one moment.
 *
 * @param permits requests that it may have under way at once
 * @param underWay requests that are
 * @param waiting deliveries that wait for a permit; catch-up counts as one
 * @param latency from a request to its answer, smoothed over the last ten or so; absent where none
 *     was answered
 * @param nextProbe when an open host is tried again; absent while it is tried, and for other hosts
 * @param usedAt when a request last began or ended
 */
public record CalledHost(
    String host,
    State state,
    int permits,
    int underWay,
    int waiting,
    @Nullable Duration latency,
    @Nullable Instant nextProbe,
    Instant usedAt) {

  /** The state that the last request to a host has shown. */
  public enum State {
    /** The host does not answer, and is only tried from time to time. */
    OPEN,
    /** The host did not answer the last request. */
    SILENT,
    ANSWERING,
    UNKNOWN
  }
}
