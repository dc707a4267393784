package io.feedbridge.gateway.search;

import io.feedbridge.gateway.search.query.Terms;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Ref;
import java.time.Instant;

/**
 * An entry on its way to the index.
 *
 * @param ref by which the store finds it again
 * @param at when it arrived, by which results are ordered
 * @param terms by which queries find it
 * @param popularity of its feed; 0 where it is not known
 * @param bozo the bozo rank of its feed; 0 where it is not known
 */
public record IndexedEntry(Ref ref, Instant at, Terms terms, double popularity, double bozo) {}
