package io.feedbridge.gateway.web.api.model;

import java.time.Instant;

/**
 * A caller that was refused.
 *
 * @param limit which one, as in the meter's label
 */
public record CallerView(
    String caller,
    String limit,
    String reason,
    long refusals,
    Instant lastRefusedAt,
    Instant until) {}
