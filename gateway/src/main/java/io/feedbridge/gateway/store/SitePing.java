package io.feedbridge.gateway.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A site said that it has changed.
 *
 * @param name as it named itself
 * @param url as it named itself
 * @param feed the topic of the followed feed that the ping was for; absent where nobody follows any
 */
public record SitePing(String name, String url, @Nullable String feed, Instant at) {}
