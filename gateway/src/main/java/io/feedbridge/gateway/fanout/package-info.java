/**
 * From the event log to subscribers: rounds over the healthy ones, and catch-up for laggards.
 *
 * <p>A round walks a feed's subscriptions in id order and never waits for a slow answer; whoever
 * was not served by its end becomes a laggard with a cursor of its own (DESIGN §1).
 */
@NullMarked
package io.feedbridge.gateway.fanout;

import org.jspecify.annotations.NullMarked;
