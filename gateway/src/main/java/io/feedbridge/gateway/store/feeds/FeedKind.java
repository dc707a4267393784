package io.feedbridge.gateway.store.feeds;

/** The kind of content that a topic has. */
public enum FeedKind {
  /** Not fetched yet. */
  UNKNOWN,
  /** It parsed as a feed at least once. */
  FEED,
  /** Anything else: followed by its bytes alone. */
  CONTENT
}
