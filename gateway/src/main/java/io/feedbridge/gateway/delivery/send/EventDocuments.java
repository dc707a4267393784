package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Makes bundles out of the event log. */
public final class EventDocuments {

  /** Entries of a digest. */
  public static final int DIGEST_ENTRIES = 10;

  private final Feeds feeds;
  private final Laggards laggards;
  private final NewsDocuments documents;

  /**
   * The bundles of a store's events.
   *
   * @param bridges the URLs of bridged feeds, which subscribers may have named as topics
   */
  public EventDocuments(Store store, BridgedUrls bridges) {
    documents = new NewsDocuments(bridges);
    feeds = store.feeds();
    laggards = store.laggards();
  }

  /** The matter that a document is made of, which determines how many events it can stand for. */
  public enum Matter {
    /** Entries of the events, as many as fit its bounds. */
    ENTRIES,
    /** The topic's newest bytes, however many events there were. */
    BYTES,
    /** Only that something changed, however often. */
    NOTICE;

    public static Matter of(Format format, FeedKind kind) {
      if (format == Format.LIGHT) {
        return NOTICE;
      }
      return format == Format.RAW || kind != FeedKind.FEED ? BYTES : ENTRIES;
    }
  }

  /**
   * The bundle for a subscriber that missed the events after one number up to and including
   * another; empty if there are none. Where one document stands for any number of events, only the
   * last event is kept in memory. Blocks.
   */
  public Optional<Bundle> bundle(long feedId, long after, long upTo, Matter matter) {
    if (matter == Matter.ENTRIES) {
      return bundle(feedId, after, upTo);
    }
    List<Event> last = upTo > after ? feeds.events(feedId, upTo - 1, upTo) : List.of();
    return last.stream()
        .findFirst()
        .map(
            event ->
                new Bundle(
                    List.of(
                        matter == Matter.BYTES
                            ? bare(event, bytesChanged(feedId, after, upTo), false)
                            : bare(event, false, !isChange(event, after))),
                    false,
                    () -> feeds.body(feedId),
                    documents));
  }

  /**
   * The digest of a feed: its newest entries, however old; empty for a topic that is no feed.
   * Blocks.
   *
   * @param dueAt when it was due
   */
  public Optional<Bundle> digest(long feedId, Instant dueAt) {
    Optional<FollowedFeed> feed = feeds.byId(feedId).filter(one -> one.kind() == FeedKind.FEED);
    return feed.flatMap(one -> feeds.newest(feedId, DIGEST_ENTRIES).map(now -> state(one, now)))
        .map(
            state ->
                Bundle.digest(
                    new Event(Long.MAX_VALUE, feedId, dueAt, Via.POLL, state), documents));
  }

  /** A feed with its newest entries, as an update that could have brought them. */
  private static Update state(FollowedFeed feed, Newest newest) {
    List<Entry> entries = newest.entries().stream().map(Newest.Arrival::entry).toList();
    return new Update(newest.feed().withEntries(entries), List.of(), feed.status(), false, true)
        .in(feed.fetched().format());
  }

  private static Event bare(Event event, boolean bytesChanged, boolean statusAlone) {
    Update update = event.update();
    return new Event(
        event.seq(),
        event.feedId(),
        event.at(),
        event.via(),
        new Update(
            update.feed().withEntries(List.of()),
            List.of(),
            update.status(),
            bytesChanged,
            statusAlone));
  }

  /** Whether the event or any before it, down to a number, is a change of the topic's document. */
  private boolean isChange(Event event, long after) {
    return event.isChange() || !noneOf(event.feedId(), after, event.seq(), Event::isChange);
  }

  private boolean bytesChanged(long feedId, long after, long upTo) {
    return !noneOf(feedId, after, upTo, event -> event.update().bytesChanged());
  }

  private boolean noneOf(long feedId, long after, long upTo, Predicate<Event> which) {
    long from = after;
    while (from < upTo) {
      long to = Math.min(upTo, laggards.documentEnd(feedId, from));
      List<Event> some = feeds.events(feedId, from, to);
      if (some.isEmpty()) {
        return true;
      }
      if (some.stream().anyMatch(which)) {
        return false;
      }
      from = to;
    }
    return true;
  }

  /** The events after one number up to and including another; empty if there are none. Blocks. */
  public Optional<Bundle> bundle(long feedId, long after, long upTo) {
    List<Event> events = feeds.events(feedId, after, upTo);
    if (events.isEmpty()) {
      return Optional.empty();
    }
    return feeds
        .kind(feedId)
        .map(
            kind -> new Bundle(events, kind == FeedKind.FEED, () -> feeds.body(feedId), documents));
  }

  /**
   * The document of one event for a subscriber that wants changed entries too; empty where a
   * document in this format cannot tell of it, and where the topic's bytes are not kept. Blocks.
   */
  public Optional<Bundle.Rendered> document(Event event, Format format) {
    return feeds
        .kind(event.feedId())
        .filter(
            kind ->
                Matter.of(format, kind) == Matter.ENTRIES || feeds.body(event.feedId()).isPresent())
        .flatMap(kind -> bundle(event.feedId(), event.seq() - 1, event.seq()))
        .flatMap(bundle -> bundle.render(format));
  }
}
