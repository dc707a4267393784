/**
 * The language of searches, trackers and filters of webhooks, without an engine. In: the text of a
 * query, and entries. Out: a {@link io.feedbridge.gateway.search.query.Query} as a tree, and the
 * {@link io.feedbridge.gateway.search.query.Terms} of an entry. It touches no store, no clock and
 * no thread.
 */
@NullMarked
package io.feedbridge.gateway.search.query;

import org.jspecify.annotations.NullMarked;
