package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.ingest.hosts.FetchedHost;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A host as the API shows it; see {@link FetchedHost}.
 *
 * @param latencyMs the usual time of one fetch; null where none has ended
 * @param pausedUntil the end of the pause that the host, or its site, asked for
 * @param paceMs the time between two requests to its site; null where none is kept
 * @param paceGiven whether the operator gave that pace
 */
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
