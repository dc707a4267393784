package io.feedbridge.gateway.delivery.laggards;

import io.feedbridge.gateway.delivery.send.EventDocuments.Matter;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The events that the documents of some laggards are made of. Values that several laggards share
 * are looked up once, so an instance is used for no longer than a step. Used by one thread.
 */
final class Ranges {

  private final Store store;
  private final Map<Long, Optional<FollowedFeed>> feeds = new HashMap<>();
  private final Map<Cursor, Long> ends = new HashMap<>();

  Ranges(Store store) {
    this.store = store;
  }

  private record Cursor(long feedId, long seq) {}

  /**
   * The laggards, each with the end of its next document: a retry repeats its document, a new
   * delivery takes as many events as fit (rule L12).
   */
  List<Laggard> fix(List<Laggard> laggards) {
    Map<Long, Subscription> fresh = new HashMap<>();
    List<Long> ids =
        laggards.stream()
            .filter(laggard -> laggard.state() == Laggard.State.BEHIND)
            .map(Laggard::subscriptionId)
            .toList();
    store.subscriptions().byIds(ids).forEach(one -> fresh.put(one.id(), one));
    return laggards.stream()
        .map(
            laggard -> {
              // One that has ended will not be claimed either.
              Subscription subscription = fresh.get(laggard.subscriptionId());
              return subscription == null
                  ? laggard
                  : laggard.fixed(newEnd(laggard, matter(subscription)));
            })
        .toList();
  }

  private long newEnd(Laggard laggard, Matter matter) {
    return matter == Matter.ENTRIES
        ? documentEnd(laggard)
        : feed(laggard.feedId())
            .map(feed -> Math.max(laggard.cursor(), feed.head()))
            .orElse(laggard.cursor());
  }

  /**
   * The end of the document that a laggard was claimed for, as far as it fits: a renewal may ask
   * for entries where one notice was to stand for any number of events.
   */
  long end(Laggard laggard, Subscription subscription) {
    return matter(subscription) == Matter.ENTRIES
        ? Math.min(laggard.documentEnd(), documentEnd(laggard))
        : laggard.documentEnd();
  }

  /** The matter that a subscription's deliveries consist of. */
  Matter matter(Subscription subscription) {
    FeedKind kind = feed(subscription.feedId()).map(FollowedFeed::kind).orElse(FeedKind.UNKNOWN);
    return Matter.of(subscription.terms().format(), kind);
  }

  private Optional<FollowedFeed> feed(long id) {
    return feeds.computeIfAbsent(id, store.feeds()::byId);
  }

  private long documentEnd(Laggard laggard) {
    return ends.computeIfAbsent(
        new Cursor(laggard.feedId(), laggard.cursor()),
        cursor -> store.laggards().documentEnd(cursor.feedId, cursor.seq));
  }
}
