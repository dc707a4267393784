/**
 * Whether a feed may be fetched now: budgets of fetches and of bytes, and one fetch for a burst of
 * pings. The budgets are in memory; they fetch nothing and record nothing.
 */
@NullMarked
package io.feedbridge.gateway.ingest.throttle;

import org.jspecify.annotations.NullMarked;
