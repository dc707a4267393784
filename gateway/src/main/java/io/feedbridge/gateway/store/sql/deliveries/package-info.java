/** The event log, rounds, laggards, webhooks and cursors, as SQL. */
@NullMarked
package io.feedbridge.gateway.store.sql.deliveries;

import org.jspecify.annotations.NullMarked;
