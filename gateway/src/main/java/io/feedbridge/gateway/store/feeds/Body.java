package io.feedbridge.gateway.store.feeds;

import org.jspecify.annotations.Nullable;

/**
 * A topic's newest bytes, as the origin served them.
 *
 * @param contentType the origin's {@code Content-Type}, if it sent one
 */
// Bodies are carried, never compared.
@SuppressWarnings("ArrayRecordComponent")
public record Body(@Nullable String contentType, byte[] bytes) {}
