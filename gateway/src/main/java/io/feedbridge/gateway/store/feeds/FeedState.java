package io.feedbridge.gateway.store.feeds;

/** The state of a feed at its origin. */
public enum FeedState {
  /** Never fetched with success. */
  NEW,
  /** The last fetch was fine, or its failures are too few to matter. */
  ACTIVE,
  /** Several fetches in a row failed. */
  ERROR,
  /** The origin said 410: it is not polled any more. */
  GONE
}
