package io.feedbridge.gateway.store.feeds;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the stored objects.
 *
 * @param feedsBy followed feeds, by state and way; a pair without a feed has no value
 * @param laggards subscriptions that miss an event
 * @param documentBytes bytes of the newest documents of feeds, as they are stored
 * @param sharedEntries entries of trackers, each counted once however many trackers have the entry
 * @param oldestUndelivered when the oldest event that a subscription still misses was appended
 */
public record Figures(
    Map<Followed, Long> feedsBy,
    long websubSubscriptions,
    long rsscloudSubscriptions,
    long upstreamSubscriptions,
    long laggards,
    long documentBytes,
    long sharedEntries,
    @Nullable Instant oldestUndelivered) {

  public Figures {
    feedsBy = Map.copyOf(feedsBy);
  }

  /**
   * How a gateway learns of a feed's news: by the live subscription at its hub or cloud, or not.
   */
  public enum Way {
    WEBSUB,
    RSSCLOUD,
    POLL
  }

  /** A state of feeds and the way in which they are followed. */
  public record Followed(FeedState state, Way way) {}

  /** The followed feeds. */
  public long feeds() {
    return feedsBy.values().stream().mapToLong(Long::longValue).sum();
  }
}
