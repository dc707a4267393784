package io.feedbridge.gateway.store.feeds;

import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.FeedDiff;
import io.feedbridge.normalizer.FeedFamily;
import io.feedbridge.normalizer.Link;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The feeds that stand in a list.
 *
 * @param feeds each URL once, in the list's order; at most {@link #MAX}
 * @param leftOut how many more the list has
 */
public record ListedFeeds(List<Listed> feeds, int leftOut) {

  /** Feeds of one list; further ones are not followed. */
  public static final int MAX = 5_000;

  /** Lists that one list includes; further ones are not followed. */
  public static final int MAX_INCLUDED = 20;

  /** Bytes of the URL of a feed in a list; a longer one is left out. */
  public static final int MAX_URL = 2_000;

  /** Feeds that are followed for the lists of one subscriber other than the operator. */
  public static final int MAX_OF_ONE = 10_000;

  /** Feeds of all lists that are followed at once, each counted for each list that has it. */
  public static final int MAX_OF_ALL = 100_000;

  /** A document that is no list. */
  public static final ListedFeeds NONE = new ListedFeeds(List.of(), 0);

  public ListedFeeds {
    feeds = List.copyOf(feeds);
  }

  /**
   * A feed of a list.
   *
   * @param url as it stands in the list, absolute
   * @param included whether it is a list itself, the feeds of which count too
   */
  public record Listed(String url, @Nullable String title, boolean included) {}

  /**
   * The feeds of a document; a list does not list itself.
   *
   * @param before the topic as it was
   * @param read the document, if it was read as a feed
   * @return null where the document is no list and was none, or was not read
   */
  public static @Nullable ListedFeeds of(FollowedFeed before, Optional<FeedDiff> read) {
    if (read.isEmpty()) {
      return null;
    }
    if (read.get().family() != FeedFamily.OPML) {
      return before.isList() ? NONE : null;
    }
    Map<String, Listed> all = new LinkedHashMap<>();
    for (Entry entry : read.get().feed().entries()) {
      if (!entry.id().equals(before.topic()) && !entry.id().equals(before.url())) {
        all.putIfAbsent(entry.id(), new Listed(entry.id(), entry.title(), includes(entry)));
      }
    }
    List<Listed> taken = new ArrayList<>();
    int included = 0;
    for (Listed feed : all.values()) {
      included += feed.included ? 1 : 0;
      boolean isShort = feed.url.getBytes(StandardCharsets.UTF_8).length <= MAX_URL;
      if (isShort && taken.size() < MAX && (!feed.included || included <= MAX_INCLUDED)) {
        taken.add(feed);
      }
    }
    return new ListedFeeds(taken, all.size() - taken.size());
  }

  private static boolean includes(Entry entry) {
    return entry.links().stream().anyMatch(link -> link.rel().equals(Link.INCLUDE));
  }
}
