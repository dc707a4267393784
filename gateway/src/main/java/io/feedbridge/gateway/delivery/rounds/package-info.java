/**
 * The fan-out pass over the healthy subscriptions of one feed. A round comes in from the store;
 * checkpoints and rows of laggards go out.
 */
@NullMarked
package io.feedbridge.gateway.delivery.rounds;

import org.jspecify.annotations.NullMarked;
