package io.feedbridge.gateway.store;

/** What a topic's bytes turned out to be. */
public enum FeedKind {
  /** Not fetched yet. */
  UNKNOWN,
  /** It parsed as a feed at least once. */
  FEED,
  /** Anything else: followed by its bytes alone. */
  CONTENT
}
