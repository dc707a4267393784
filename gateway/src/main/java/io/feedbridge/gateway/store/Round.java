package io.feedbridge.gateway.store;

/**
 * One walk over a feed's healthy subscriptions with the events after {@code from} up to {@code to}.
 *
 * @param checkpoint the highest subscription id below or at which everyone was served or is a
 *     laggard (rule L4)
 */
public record Round(long feedId, long from, long to, long checkpoint) {}
