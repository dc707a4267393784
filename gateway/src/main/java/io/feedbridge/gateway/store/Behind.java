package io.feedbridge.gateway.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The events that a laggard misses.
 *
 * @param events the number of the feed's events after its cursor
 * @param since when the oldest of them was appended; absent if none of them is in the log any more
 * @param attempts in a row that failed
 * @param nextAttemptAt absent while a request is under way
 * @param lastError why the last attempt failed
 */
public record Behind(
    long events,
    @Nullable Instant since,
    int attempts,
    @Nullable Instant nextAttemptAt,
    @Nullable String lastError) {}
