package io.feedbridge.gateway.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How much of what there is.
 *
 * @param feeds followed ones
 * @param laggards subscriptions that miss something
 * @param oldestUndelivered when the oldest event was appended that somebody has not got
 */
public record Figures(
    long feeds,
    long websubSubscriptions,
    long rsscloudSubscriptions,
    long followings,
    long laggards,
    @Nullable Instant oldestUndelivered) {}
