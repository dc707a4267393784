/**
 * {@code feedbridge demo}: a gateway among a publisher, a hub, a cloud and two subscribers, all in
 * one process and all talking over sockets, with a running commentary.
 *
 * <p>Each role is one small class on a server of its own ({@link
 * io.feedbridge.gateway.demo.SmallHub}, {@link io.feedbridge.gateway.demo.SmallCloud}, {@link
 * io.feedbridge.gateway.demo.Publisher}, {@link io.feedbridge.gateway.demo.DemoSubscriber}, {@link
 * io.feedbridge.gateway.demo.Aggregator}) and doubles as an example of how to use the two protocol
 * libraries. The roles keep their state in memory and leave out the parts that a run of some hours
 * does not need: leases that end, retries, persistence.
 */
@NullMarked
package io.feedbridge.gateway.demo;

import org.jspecify.annotations.NullMarked;
