/**
 * The port to everything durable but work: feeds, followings, subscriptions, entries seen, the
 * event log, rounds and laggards.
 *
 * <p>Writes return a future that completes once they are on disk; reads block and must not run on
 * an event loop. The values here are what the stages hand to one another.
 */
@NullMarked
package io.feedbridge.gateway.store;

import org.jspecify.annotations.NullMarked;
