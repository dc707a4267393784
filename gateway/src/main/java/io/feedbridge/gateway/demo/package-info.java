/**
 * {@code feedbridge demo}: a gateway among a publisher, a hub, a cloud and two subscribers, all in
 * one process and all talking over sockets, with a running commentary.
 *
 * <p>Each role is one small class on a server of its own ({@link
 * io.feedbridge.gateway.demo.SmallHub}, {@link io.feedbridge.gateway.demo.SmallCloud}, {@link
 * io.feedbridge.gateway.demo.Publisher}, {@link io.feedbridge.gateway.demo.Subscriber}, {@link
 * io.feedbridge.gateway.demo.Aggregator}) and doubles as an example of how to use the two protocol
 * libraries. They keep everything in memory and leave out what a run of some hours does not need:
 * leases that end, retries, persistence.
 */
@NullMarked
package io.feedbridge.gateway.demo;

import org.jspecify.annotations.NullMarked;
