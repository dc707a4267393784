/**
 * Search in the entries that the gateway has. In: the event log and the first entries of feeds,
 * read by position; queries of callers. Out: entries that match, the newest first. It reads the
 * store beside the way of the data and writes only the index, which {@link
 * io.feedbridge.gateway.search.TextIndex} keeps and which can be made again at any time.
 */
@NullMarked
package io.feedbridge.gateway.search;

import org.jspecify.annotations.NullMarked;
