package io.feedbridge.gateway.ingest.hosts;

import java.time.Duration;

/**
 * A host that feeds were fetched from lately, as it stands now.
 *
 * @param host name or address, without a port
 * @param permits requests that it may have at once
 * @param underWay requests that it has
 * @param waiting fetches that wait for it
 * @param took the usual time of one fetch
 */
public record FetchedHost(
    String host, State state, int permits, int underWay, int waiting, Duration took) {

  /** The expectation of its answers. */
  public enum State {
    /** It lets fetches wait for long, or does not answer. */
    SLOW,
    /** It has not answered promptly of late, or never yet. */
    UNPROVEN,
    PROMPT
  }

  static FetchedHost of(String host, OriginWindow window, int underWay, int waiting) {
    State state =
        switch (window.standing()) {
          case SLOW -> State.SLOW;
          case UNPROVEN -> State.UNPROVEN;
          case PROMPT -> State.PROMPT;
        };
    return new FetchedHost(host, state, window.size(), underWay, waiting, window.took());
  }
}
