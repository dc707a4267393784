package io.feedbridge.gateway.ingest.hosts;

/** Why a feed is fetched. Of the fetches that wait for one host the first of these goes first. */
public enum Haste {
  /** A publisher, a hub or a cloud says that the feed changed. */
  PING,
  /** A subscriber waits for the feed's first fetch. */
  FIRST,
  /** The poll timer asks. A poll waits for the pause between two polls of one host. */
  POLL;

  /** Whether the pause between two polls of one host applies. */
  boolean isPaced() {
    return this == POLL;
  }
}
