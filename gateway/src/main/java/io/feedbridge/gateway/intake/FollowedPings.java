package io.feedbridge.gateway.intake;

import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.util.Optional;

/**
 * Pings by sources that tell of feeds of the whole world: only a feed that is followed is pinged.
 * Safe for use by several threads.
 */
public record FollowedPings(Feeds feeds, Intake intake) {

  /** The topic that a URL means; empty if it is none. */
  public static Optional<String> topic(String url) {
    try {
      return Optional.of(TopicUrl.normalize(url));
    } catch (BadHubRequestException noTopic) {
      return Optional.empty();
    }
  }

  /** Pings a topic that is followed; returns whether it is. Blocks. */
  public boolean ping(String topic) {
    boolean followed = feeds.byTopic(topic).filter(FollowedFeed::followed).isPresent();
    if (followed) {
      intake.ping(topic, Via.PING).join();
    }
    return followed;
  }
}
