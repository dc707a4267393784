package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.ingest.fetch.LocalTopics;
import java.util.Optional;

/** The gateway's own feeds as topics that need no network. */
public record OwnTopics(
    TestFeed testFeed,
    SavedFeeds savedFeeds,
    LocalTopics lists,
    LocalTopics trackers,
    LocalTopics events)
    implements LocalTopics {

  @Override
  public Optional<Document> find(String url) {
    Optional<OwnFeed> feed =
        url.equals(testFeed.url()) ? Optional.of(testFeed.now()) : savedFeeds.under(url);
    return feed.map(now -> new Document(OwnFeed.CONTENT_TYPE, now.rss()))
        .or(() -> lists.find(url))
        .or(() -> trackers.find(url))
        .or(() -> events.find(url));
  }
}
