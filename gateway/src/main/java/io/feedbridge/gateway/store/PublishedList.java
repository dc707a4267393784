package io.feedbridge.gateway.store;

import io.feedbridge.gateway.store.feeds.ListedFeeds;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list of feeds that the gateway publishes.
 *
 * @param name in its URL
 * @param feeds each URL once, in the list's order; at most {@link ListedFeeds#MAX}
 */
public record PublishedList(String name, String title, List<Item> feeds, Instant changedAt) {

  /** Lists of a gateway. */
  public static final int MAX = 1_000;

  public PublishedList {
    feeds = List.copyOf(feeds);
  }

  /** A feed of the list. */
  public record Item(String url, @Nullable String title) {}
}
