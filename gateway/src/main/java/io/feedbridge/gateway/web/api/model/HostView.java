package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.delivery.hosts.CalledHost;
import io.feedbridge.gateway.store.deliveries.Laggards;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A host as the API shows it; see {@link CalledHost}.
 *
 * @param behind subscriptions with a callback there that miss an event and wait for their next try,
 *     {@link Laggards#MOST_COUNTED} at most
 */
public record HostView(
    String host,
    String state,
    int permits,
    int underWay,
    int waiting,
    int behind,
    @Nullable Long latencyMs,
    @Nullable Instant nextProbeAt,
    Instant usedAt) {}
