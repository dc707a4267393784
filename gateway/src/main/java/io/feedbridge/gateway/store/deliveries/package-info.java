/** Rounds over healthy subscriptions, and the rows of laggards. */
@NullMarked
package io.feedbridge.gateway.store.deliveries;

import org.jspecify.annotations.NullMarked;
