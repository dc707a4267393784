package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server that is told of changes, as the API describes it. */
public record RelayView(
    String protocol,
    String url,
    List<String> feeds,
    long sent,
    long refused,
    long behind,
    @Nullable Instant lastAt,
    @Nullable String problem) {}
