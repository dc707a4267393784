package io.feedbridge.rsscloud;

/**
 * A notification of a cloud that a feed has changed. Any host can send one, so a notification
 * justifies a fetch and no more.
 *
 * @param url the feed
 */
public record NotificationRequest(String url) implements AggregatorRequest {}
