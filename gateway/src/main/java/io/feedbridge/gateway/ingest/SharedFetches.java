package io.feedbridge.gateway.ingest;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.SelectedParts;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Topics that lead to the same place, or select parts of one document, share the fetch, and nothing
 * else: the result of one topic's fetch is handed to the other topics, and each digests it with its
 * own entries seen and its own log (rule L14). The known places are the URLs that followed feeds
 * were redirected to; a restart learns them anew. Safe for use by several threads.
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

  /** Documents of which parts are followed: a fetch for one of their feeds is one for all. */
  private final Cache<String, Boolean> documents;

  /** Documents with followed parts that are fetched now. */
  private final Map<String, UnderWay> underWay = new ConcurrentHashMap<>();

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
    documents =
        Caffeine.newBuilder()
            .maximumSize(MAX_PLACES)
            .expireAfterAccess(PLACES_KEPT)
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
      // The hash of a part is another than that of the document.
      return !(result instanceof FetchResult.NotModified)
          || (isPart(feed) ? asked.isTaggedAs(feed.validators()) : asked.equals(feed.validators()));
    }
  }

  /**
   * A fetch of a document for one of its feeds.
   *
   * @param waiting the others that wait for it
   * @param over completes when the result is handed to them, or there is none
   */
  private record UnderWay(long feed, Set<Long> waiting, CompletableFuture<Void> over) {}

  /**
   * Begins the fetch of a feed, which {@link #end} ends. A document of which parts are followed is
   * fetched for one feed at a time.
   *
   * @return when to look again, if the document is fetched for another feed now
   */
  Optional<CompletableFuture<Void>> begin(FollowedFeed feed) {
    String document = TopicUrl.document(feed.topic());
    if (isPart(feed)) {
      documents.put(document, true);
    } else if (documents.getIfPresent(document) == null) {
      return Optional.empty();
    }
    UnderWay mine =
        new UnderWay(feed.id(), ConcurrentHashMap.newKeySet(), new CompletableFuture<>());
    UnderWay other = underWay.putIfAbsent(document, mine);
    if (other == null) {
      return Optional.empty();
    }
    other.waiting.add(feed.id());
    return Optional.of(other.over);
  }

  /** The fetch of a feed is over. */
  void end(FollowedFeed feed) {
    String document = TopicUrl.document(feed.topic());
    UnderWay mine = underWay.get(document);
    if (mine != null && mine.feed == feed.id() && underWay.remove(document, mine)) {
      mine.over.complete(null);
    }
  }

  /**
   * Keeps the result of a fetch for the other topics that lead to the same place or are parts of
   * the same document.
   *
   * @param sent the time at which its request was sent
   * @return the feeds that are to look for the result now, and do not wait for it
   */
  Collection<Long> offer(FollowedFeed feed, Parts result, Instant sent) {
    Set<Long> sharing = new LinkedHashSet<>();
    if (!isPart(feed)) {
      place(result.whole()).ifPresent(place -> sharing.addAll(sharing(feed, place)));
      sharing.remove(feed.id());
      Handed whole = new Handed(result.whole(), sent, feed.validators());
      sharing.forEach(other -> handed.put(other, whole));
    }
    UnderWay mine = underWay.get(TopicUrl.document(feed.topic()));
    for (FollowedFeed other : ofSameDocument(feed)) {
      if (mine == null || !mine.waiting.contains(other.id())) {
        sharing.add(other.id());
      }
      handed.put(other.id(), new Handed(result.of(other.topic()), sent, feed.validators()));
    }
    return sharing;
  }

  /**
   * The other feeds of a feed's document. One that has failed is fetched for at its own time, so
   * that a selector that takes long does not hold up the others each time.
   */
  private List<FollowedFeed> ofSameDocument(FollowedFeed feed) {
    String document = TopicUrl.document(feed.topic());
    return documents.getIfPresent(document) == null
        ? List.of()
        : feeds.ofDocument(document, 1 + SelectedParts.MAX).stream()
            .filter(other -> other.id() != feed.id() && other.fetched().failures() == 0)
            .toList();
  }

  private static boolean isPart(FollowedFeed feed) {
    return TopicUrl.selection(feed.topic()).isPresent();
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
