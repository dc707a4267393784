/**
 * The port to everything durable but work: feeds, upstream subscriptions, subscriptions, seen
 * entries, the event log, rounds and laggards.
 *
 * <p>Writes return a future that completes once they are on disk; reads block and must not run on
 * an event loop. The stages exchange the values of this package.
 */
@NullMarked
package io.feedbridge.gateway.store;

import org.jspecify.annotations.NullMarked;
