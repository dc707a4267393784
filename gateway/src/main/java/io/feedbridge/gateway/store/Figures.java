package io.feedbridge.gateway.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the stored objects.
 *
 * @param feeds followed feeds
 * @param laggards subscriptions that miss an event
 * @param oldestUndelivered when the oldest event that a subscription still misses was appended
 */
public record Figures(
    long feeds,
    long websubSubscriptions,
    long rsscloudSubscriptions,
    long upstreamSubscriptions,
    long laggards,
    @Nullable Instant oldestUndelivered) {}
