/**
 * Feeds with their work, their upstream subscriptions and their publishers, as SQL. It knows no
 * subscriber and no delivery.
 */
@NullMarked
package io.feedbridge.gateway.store.sql.feeds;

import org.jspecify.annotations.NullMarked;
