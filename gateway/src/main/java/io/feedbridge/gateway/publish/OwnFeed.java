package io.feedbridge.gateway.publish;

import java.time.Instant;

/**
 * A feed as it is now.
 *
 * @param rss an RSS document in UTF-8; never changed
 * @param at when it became so
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record OwnFeed(byte[] rss, Instant at) {

  /** The content type that it is served with. */
  public static final String CONTENT_TYPE = "application/rss+xml; charset=utf-8";
}
