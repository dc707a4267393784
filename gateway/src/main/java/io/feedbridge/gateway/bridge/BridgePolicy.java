package io.feedbridge.gateway.bridge;

/** Which feeds have a bridged one. */
public enum BridgePolicy {
  /** Any feed: the first request for a bridged feed begins to follow its topic. */
  OPEN,
  /** Feeds that are followed already. */
  FOLLOWED,
  /** None. */
  OFF
}
