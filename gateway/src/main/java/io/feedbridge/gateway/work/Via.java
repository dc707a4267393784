package io.feedbridge.gateway.work;

/** How the gateway came to know that a feed may have changed. */
public enum Via {
  /** A delivery of an upstream WebSub hub. */
  WEBSUB,
  /** A notification of an upstream rssCloud cloud. */
  RSSCLOUD,
  /** A publisher's rssCloud ping. */
  PING,
  /** A publisher's {@code hub.mode=publish}. */
  PUBLISH,
  /** The gateway's own poll timer. */
  POLL,
  /** A tracker found entries of other feeds that match its query. */
  TRACK;

  /**
   * Whether a hub, a cloud or a publisher reported a change of the feed, as opposed to the
   * gateway's own poll.
   */
  public boolean isPing() {
    return this != POLL && this != TRACK;
  }
}
