package io.feedbridge.gateway.store.upstream;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A ping that a site has changed.
 *
 * @param name the name that the ping gave
 * @param url the URL that the ping gave
 * @param feed the topic of the followed feed that the ping was for; absent where no feed of the
 *     site is followed
 */
public record SitePing(String name, String url, @Nullable String feed, Instant at) {}
