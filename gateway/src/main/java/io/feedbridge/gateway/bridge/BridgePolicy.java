package io.feedbridge.gateway.bridge;

/** Which feeds have a bridged one. */
public enum BridgePolicy {
  /** Any: the first request for one begins to follow it. */
  OPEN,
  /** Those that are followed already. */
  FOLLOWED,
  /** None. */
  OFF
}
