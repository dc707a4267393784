/**
 * Catch-up: each laggard is sent the events behind its own cursor. Due rows come in from the store;
 * settled rows go out.
 */
@NullMarked
package io.feedbridge.gateway.delivery.laggards;

import org.jspecify.annotations.NullMarked;
