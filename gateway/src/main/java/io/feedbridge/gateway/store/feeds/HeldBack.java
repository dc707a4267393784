package io.feedbridge.gateway.store.feeds;

import java.time.Instant;

/**
 * Why a requested fetch of a feed is delayed.
 *
 * @param reason a sentence for operators: the spent budget, or the pause that its host requested
 * @param until when the feed is fetched
 */
public record HeldBack(String reason, Instant until) {}
