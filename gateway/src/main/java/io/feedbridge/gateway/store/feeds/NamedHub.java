package io.feedbridge.gateway.store.feeds;

import org.jspecify.annotations.Nullable;

/**
 * A hub that the operator names for a feed.
 *
 * @param hub an http or https URL
 * @param topic the URL by which the hub knows the feed; absent where that is the feed's own
 */
public record NamedHub(String hub, @Nullable String topic) {}
