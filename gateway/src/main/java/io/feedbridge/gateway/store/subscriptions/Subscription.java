package io.feedbridge.gateway.store.subscriptions;

import java.time.Instant;

/**
 * An active subscription.
 *
 * @param id grows with each new subscription; kept by renewals (rule L7)
 * @param topic the feed's topic
 * @param callback the exact URL to call
 * @param start the feed's newest event when the subscription began; nothing up to it is sent (rule
 *     L6)
 * @param leaseEndsAt when it ends unless renewed
 * @param errors consecutive notifications that failed for good (the three-errors rule of rssCloud)
 * @param readers the number of readers that it last reported to stand for; 1 until it reports one
 */
public record Subscription(
    long id,
    long feedId,
    String topic,
    Protocol protocol,
    String callback,
    Terms terms,
    long start,
    Instant leaseEndsAt,
    int errors,
    int readers) {}
