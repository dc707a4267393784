package io.feedbridge.gateway.delivery;

import io.feedbridge.gateway.delivery.send.EventDocuments.Matter;
import io.feedbridge.gateway.delivery.send.News;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Terms;
import java.util.List;
import java.util.Optional;

/** Finds the events that a subscriber's last notifications were made of. Blocks on the store. */
final class Replays {

  /** Events looked at; most of them are news to every subscriber. */
  private static final int MAX_EVENTS = 500;

  private static final int PAGE = 10;

  private final Feeds feeds;

  Replays(Feeds feeds) {
    this.feeds = feeds;
  }

  /** Events after one number up to and including another. */
  record Range(long after, long upTo) {}

  /**
   * Where the last of the notifications begin; empty if the log has none.
   *
   * @param count of them at most
   */
  Optional<Range> range(Subscription subscription, int count) {
    Optional<FollowedFeed> feed = feeds.byId(subscription.feedId());
    if (feed.isEmpty()) {
      return Optional.empty();
    }
    Matter matter = Matter.of(subscription.terms().format(), feed.get().kind());
    int wanted = matter == Matter.ENTRIES ? count : 1;
    long head = feed.get().head();
    long oldest = 0;
    long upTo = head;
    for (int looked = 0; looked < MAX_EVENTS && wanted > 0; looked += PAGE) {
      List<Event> page = feeds.lastEvents(subscription.feedId(), upTo, PAGE);
      for (Event event : page) {
        if (wanted > 0 && isNews(event, matter, subscription.terms())) {
          oldest = event.seq();
          wanted--;
        }
        upTo = event.seq() - 1;
      }
      if (page.size() < PAGE) {
        break;
      }
    }
    return oldest == 0 ? Optional.empty() : Optional.of(new Range(oldest - 1, head));
  }

  private static boolean isNews(Event event, Matter matter, Terms terms) {
    return switch (matter) {
      case ENTRIES ->
          News.of(List.of(event), News.Wanted.of(terms.wished(), terms.updates()))
              .filter(news -> news.isFor(terms.format()))
              .isPresent();
      case BYTES -> event.update().bytesChanged();
      case NOTICE -> event.isChange();
    };
  }
}
