package io.feedbridge.rsscloud;

/**
 * A cloud says that a feed has changed. Anyone can say that: it is worth a fetch and no more.
 *
 * @param url the feed
 */
public record NotificationRequest(String url) implements AggregatorRequest {}
