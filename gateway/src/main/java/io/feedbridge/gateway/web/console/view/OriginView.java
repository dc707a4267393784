package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A host that feeds are fetched from as the API shows it. */
public record OriginView(
    String host,
    String state,
    int permits,
    int underWay,
    int waiting,
    @Nullable Long latencyMs,
    @Nullable Instant pausedUntil,
    @Nullable String site,
    @Nullable Long paceMs,
    @Nullable Boolean paceGiven) {}
