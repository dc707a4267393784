/** Subscriptions and requests for them, as SQL. It knows no delivery. */
@NullMarked
package io.feedbridge.gateway.store.sql.subscriptions;

import org.jspecify.annotations.NullMarked;
