package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.FeedQueries;
import io.feedbridge.gateway.webhook.Filter;
import io.feedbridge.gateway.webhook.targets.BadTemplateException;
import io.feedbridge.gateway.webhook.targets.FeedDocument;
import io.feedbridge.gateway.webhook.targets.Target;
import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Status;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tries a filter out: the entries that feeds brought last, each with whether a webhook with this
 * filter would be sent it. Changes nothing. Thread-safe; blocks on the store.
 */
public final class FilterPreview {

  /** Entries that are looked at; {@link Newest#MAX_BYTES} of them at most. */
  public static final int ENTRIES = 100;

  private final Feeds feeds;
  private final FeedQueries queries;

  public FilterPreview(Store store) {
    feeds = store.feeds();
    queries = store.feedQueries();
  }

  /**
   * One entry.
   *
   * @param id of the entry in its feed
   * @param matches whether the filter accepts it
   */
  public record Item(
      long feedId, String id, @Nullable String title, Instant arrivedAt, boolean matches) {}

  /**
   * The newest entries of feeds, the newest first.
   *
   * @param topics normalised; none for all feeds. A topic that was never followed has no entries
   * @param filter absent for one that accepts each entry
   */
  public List<Item> of(List<String> topics, Optional<Filter> filter) {
    Map<Long, Origin> origins = new HashMap<>();
    return queries.recent(scope(topics), ENTRIES).stream()
        .map(
            one ->
                new Item(
                    one.feedId(),
                    one.entry().id(),
                    one.entry().title(),
                    one.at(),
                    filter
                        .map(
                            it -> {
                              Origin of = origins.computeIfAbsent(one.feedId(), this::origin);
                              return it.accepts(one.entry(), of.authors, of.topic);
                            })
                        .orElse(true)))
        .toList();
  }

  /**
   * The messages that the newest entry which the filter accepts makes for a target, or an example
   * where there is none.
   *
   * @param topics as of {@link #of}
   * @throws BadTemplateException if a template makes no message of it
   */
  public List<String> messages(List<String> topics, Optional<Filter> filter, Target target) {
    return target.messages(newest(topics, filter).orElseGet(FeedDocument::example)).stream()
        .map(message -> new String(message, StandardCharsets.UTF_8))
        .toList();
  }

  private Optional<FeedDocument> newest(List<String> topics, Optional<Filter> filter) {
    Map<Long, Origin> origins = new HashMap<>();
    for (FeedQueries.Recent one : queries.recent(scope(topics), ENTRIES)) {
      Origin of = origins.computeIfAbsent(one.feedId(), this::origin);
      if (filter.isEmpty() || filter.get().accepts(one.entry(), of.authors, of.topic)) {
        Feed feed =
            feeds
                .newest(one.feedId(), 1)
                .map(Newest::feed)
                .orElseGet(() -> Feed.bare(of.topic, null))
                .withEntries(List.of(one.entry()));
        return Optional.of(new FeedDocument(feed, Status.of(of.topic), 1, one.at(), List.of()));
      }
    }
    return Optional.empty();
  }

  private Log.Scope scope(List<String> topics) {
    if (topics.isEmpty()) {
      return Log.Scope.ALL;
    }
    Set<Long> ids =
        topics.stream()
            .flatMap(topic -> feeds.byTopic(topic).stream())
            .map(FollowedFeed::id)
            .collect(Collectors.toSet());
    return new Log.Scope.Some(ids);
  }

  private record Origin(List<Author> authors, String topic) {}

  private Origin origin(long feedId) {
    return new Origin(
        feeds.newest(feedId, 1).map(Newest::feed).map(Feed::authors).orElse(List.of()),
        feeds.byId(feedId).map(FollowedFeed::topic).orElse(""));
  }
}
