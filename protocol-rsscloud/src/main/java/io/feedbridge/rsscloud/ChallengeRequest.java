package io.feedbridge.rsscloud;

/**
 * A cloud asks whether the aggregator wants a registration that named its domain. To say yes,
 * answer 200 with the challenge alone as text/plain, never as HTML: it is a stranger's text. To say
 * no, answer 404.
 *
 * @param url the feed
 * @param challenge the text to give back, not blank, with no control characters
 */
public record ChallengeRequest(String url, String challenge) implements AggregatorRequest {}
