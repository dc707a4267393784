package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.metrics.Curves;
import java.time.Instant;
import java.util.List;

/**
 * The counts of a time by minute, and of the stored objects.
 *
 * @param points by minute; the last one has not ended
 */
public record Stats(
    Instant since,
    List<Curves.Point> points,
    List<Feeds> feeds,
    long websubSubscriptions,
    long rsscloudSubscriptions,
    long webhooks,
    long lagging) {

  /** Followed feeds in a state that are followed in a way. */
  public record Feeds(String state, String way, long count) {}
}
