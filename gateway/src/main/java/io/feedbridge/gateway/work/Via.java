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
  POLL;

  /** Whether somebody said that the feed changed, as opposed to the gateway looking for itself. */
  public boolean isPing() {
    return this != POLL;
  }
}
