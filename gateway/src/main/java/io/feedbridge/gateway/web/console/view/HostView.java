package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A host of callbacks as the API shows it. */
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
