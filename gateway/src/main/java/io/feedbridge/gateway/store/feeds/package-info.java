/** Feeds that are followed: their state, their pace, and the outcomes of fetches. */
@NullMarked
package io.feedbridge.gateway.store.feeds;

import org.jspecify.annotations.NullMarked;
