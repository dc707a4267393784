package io.feedbridge.gateway.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The one row of a subscription that is not served by rounds at present.
 *
 * @param host the callback's host and port, by which its deliveries are bounded
 * @param cursor the newest event that the subscriber has
 * @param sentTo the end of the document that was sent and failed, which a retry repeats (rule L12);
 *     absent while nothing is to be repeated
 * @param attempts deliveries in a row that failed
 * @param nextAttemptAt not before this
 * @param inFlight whether a request is under way, during which it is not due (rule L3)
 * @param error why the last attempt failed
 */
public record Laggard(
    long subscriptionId,
    long feedId,
    String host,
    long cursor,
    @Nullable Long sentTo,
    int attempts,
    Instant nextAttemptAt,
    boolean inFlight,
    @Nullable String error) {}
