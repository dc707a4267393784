package io.feedbridge.gateway.ingest;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Validators;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Topics that lead to the same place share the fetch, and nothing else: the result of one topic's
 * fetch is handed to the other topics, and each digests it with its own entries seen and its own
 * log (rule L14). The known places are the URLs that followed feeds were redirected to; a restart
 * learns them anew. Safe for use by several threads.
 */
final class SharedFetches {

  /** Places that a followed feed was redirected to, or that led another one there. */
  private static final int MAX_PLACES = 10_000;

  /** Topics that may share one fetch; another one fetches for itself. */
  static final int MAX_SHARING = 100;

  private static final Duration PLACES_KEPT = Duration.ofDays(2);

  /** Bytes of fetches that wait for a topic to take them. */
  private static final long MAX_BYTES = 64L << 20;

  /** The longest wait of a fetch for the other topics; a later topic fetches for itself. */
  static final Duration KEPT = Duration.ofMinutes(1);

  private final Feeds feeds;

  /** By place, the feeds whose fetch ends there. */
  private final Cache<String, Set<Long>> places;

  /** By feed, the fetch of another feed that answers for it. */
  private final Cache<Long, Handed> handed;

  SharedFetches(Feeds feeds, Clock clock) {
    this.feeds = feeds;
    Ticker ticker = () -> TimeUnit.MILLISECONDS.toNanos(clock.millis());
    places =
        Caffeine.newBuilder()
            .maximumSize(MAX_PLACES)
            .expireAfterWrite(PLACES_KEPT)
            .ticker(ticker)
            .build();
    handed =
        Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((Long feed, Handed one) -> one.weight())
            .expireAfterWrite(KEPT)
            .ticker(ticker)
            .build();
  }

  /**
   * The fetch of another feed.
   *
   * @param sent the time at which its request was sent
   */
  private record Handed(FetchResult result, Instant sent, Validators asked) {

    private static final int FIXED_WEIGHT = 1024;

    int weight() {
      int body = result instanceof FetchResult.Fresh fresh ? fresh.body().length : 0;
      return body + FIXED_WEIGHT;
    }

    /** "Not modified" answers only feeds with the same validators. */
    boolean answers(FollowedFeed feed) {
      return !(result instanceof FetchResult.NotModified) || asked.equals(feed.validators());
    }
  }

  /**
   * Keeps the result of a fetch for the other topics that lead to the same place.
   *
   * @param sent the time at which its request was sent
   * @return the feeds that are to look for the result now
   */
  Collection<Long> offer(FollowedFeed feed, FetchResult result, Instant sent) {
    Optional<String> place = place(result);
    if (place.isEmpty()) {
      return List.of();
    }
    Set<Long> sharing = sharing(feed, place.get());
    sharing.remove(feed.id());
    sharing.forEach(other -> handed.put(other, new Handed(result, sent, feed.validators())));
    return sharing;
  }

  private static Optional<String> place(FetchResult result) {
    if (result instanceof FetchResult.Fresh fresh) {
      return Optional.of(fresh.way().url());
    }
    return result instanceof FetchResult.NotModified same
        ? Optional.of(same.way().url())
        : Optional.empty();
  }

  private Set<Long> sharing(FollowedFeed feed, String place) {
    Set<Long> known = places.getIfPresent(place);
    Set<Long> sharing = known == null ? new LinkedHashSet<>() : new LinkedHashSet<>(known);
    if (!place.equals(feed.url())) {
      if (sharing.size() < MAX_SHARING) {
        sharing.add(feed.id());
      }
      topic(place).flatMap(feeds::byTopic).map(FollowedFeed::id).ifPresent(sharing::add);
      places.put(place, Set.copyOf(sharing));
    }
    return sharing;
  }

  private static Optional<String> topic(String url) {
    try {
      return Optional.of(TopicUrl.normalize(url));
    } catch (BadHubRequestException noTopic) {
      return Optional.empty();
    }
  }

  /**
   * The shared result for a feed, returned once; empty if the feed must be fetched: a ping that
   * arrived after that request was sent is not answered by its result (rule L10).
   */
  Optional<FetchResult> take(FollowedFeed feed, List<WorkItem> asking) {
    Handed mine = handed.asMap().remove(feed.id());
    return mine != null
            && mine.answers(feed)
            && asking.stream().noneMatch(item -> item.receivedAt().isAfter(mine.sent))
        ? Optional.of(mine.result)
        : Optional.empty();
  }
}
