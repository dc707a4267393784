package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An upstream hub or cloud as the API shows it. */
public record EndpointView(
    String id,
    String endpoint,
    String kind,
    long feeds,
    long firstByPush,
    long firstByPoll,
    long signatureFailures,
    long verificationFailures,
    @Nullable String lastRefusal,
    @Nullable Instant lastDeliveryAt,
    String state,
    Instant since,
    @Nullable Instant demotedUntil,
    @Nullable Instant pausedUntil,
    @Nullable String protocol,
    @Nullable String place) {}
