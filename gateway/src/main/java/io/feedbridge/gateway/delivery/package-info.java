/**
 * From the event log to subscribers: rounds over the healthy subscriptions and catch-up for
 * laggards. Events come in from the store; requests go out through {@link
 * io.feedbridge.gateway.delivery.send}.
 *
 * <p>A round passes over a feed's subscriptions in id order and never waits for a slow answer. A
 * subscription that was not served by the end of the round becomes a laggard with a cursor of its
 * own (DESIGN §1).
 */
@NullMarked
package io.feedbridge.gateway.delivery;

import org.jspecify.annotations.NullMarked;
