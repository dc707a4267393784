/**
 * Pings passed on: hubs, clouds and ping services that are told of changes of feeds. In: events of
 * the log. Out: pings, each by the protocol of its target.
 */
@NullMarked
package io.feedbridge.gateway.relay;

import org.jspecify.annotations.NullMarked;
