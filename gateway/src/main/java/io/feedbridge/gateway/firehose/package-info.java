/** Sockets of FeedLand and rss.chat, whose messages are pings of feeds. */
@NullMarked
package io.feedbridge.gateway.firehose;

import org.jspecify.annotations.NullMarked;
