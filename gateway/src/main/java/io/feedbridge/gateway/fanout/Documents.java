package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.Feeds;
import io.feedbridge.gateway.store.Format;
import io.feedbridge.gateway.store.Laggards;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Update;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.JsonFeedWriter;
import io.feedbridge.normalizer.PushOffer;
import io.feedbridge.normalizer.RssWriter;
import io.feedbridge.normalizer.SuperfeedrAtom;
import io.feedbridge.normalizer.SuperfeedrJson;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Makes bundles out of the event log. */
final class Documents {

  static final String ATOM = "application/atom+xml; charset=utf-8";
  static final String JSON = "application/json; charset=utf-8";
  private static final String RSS = "application/rss+xml; charset=utf-8";
  private static final String JSON_FEED = "application/feed+json; charset=utf-8";

  private final Feeds feeds;
  private final Laggards laggards;

  Documents(Store store) {
    feeds = store.feeds();
    laggards = store.laggards();
  }

  /** What a document is made of, which sets how many events one can stand for. */
  enum Matter {
    /** Entries of the events, as many as fit its bounds. */
    ENTRIES,
    /** The topic's newest bytes, however many events there were. */
    BYTES,
    /** Only that something changed, however often. */
    NOTICE;

    static Matter of(Format format, FeedKind kind) {
      if (format == Format.LIGHT) {
        return NOTICE;
      }
      return format == Format.RAW || kind != FeedKind.FEED ? BYTES : ENTRIES;
    }
  }

  /**
   * What whoever missed the events after one number up to and including another is to get; empty if
   * there are none. Of what stands for any number of events only the last is kept in memory.
   * Blocks.
   */
  Optional<Bundle> bundle(long feedId, long after, long upTo, Matter matter) {
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
                            : bare(event, false, isStatusAlone(event, after))),
                    false,
                    () -> feeds.body(feedId)));
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

  /** Whether neither the event nor any before it, down to a number, brought anything. */
  private boolean isStatusAlone(Event event, long after) {
    return event.update().isStatusAlone()
        && noneOf(event.feedId(), after, event.seq(), update -> !update.isStatusAlone());
  }

  private boolean bytesChanged(long feedId, long after, long upTo) {
    return !noneOf(feedId, after, upTo, Update::bytesChanged);
  }

  private boolean noneOf(long feedId, long after, long upTo, Predicate<Update> which) {
    long from = after;
    while (from < upTo) {
      long to = Math.min(upTo, laggards.documentEnd(feedId, from));
      List<Event> some = feeds.events(feedId, from, to);
      if (some.isEmpty()) {
        return true;
      }
      if (some.stream().map(Event::update).anyMatch(which)) {
        return false;
      }
      from = to;
    }
    return true;
  }

  /** The events after one number up to and including another; empty if there are none. Blocks. */
  Optional<Bundle> bundle(long feedId, long after, long upTo) {
    List<Event> events = feeds.events(feedId, after, upTo);
    if (events.isEmpty()) {
      return Optional.empty();
    }
    return feeds
        .kind(feedId)
        .map(kind -> new Bundle(events, kind == FeedKind.FEED, () -> feeds.body(feedId)));
  }

  /** What a document of the schema or of another format has, in a format that has entries. */
  static Bundle.Rendered render(News news, Format format) {
    return switch (format) {
      case JSON -> json(news.feed(), news.newest());
      case RSS -> new Bundle.Rendered(RSS, RssWriter.write(news.feed(), PushOffer.NONE));
      case JSONFEED ->
          new Bundle.Rendered(JSON_FEED, JsonFeedWriter.write(news.feed(), PushOffer.NONE));
      case ATOM, RAW, LIGHT -> atom(news.feed(), news.newest());
    };
  }

  private static Bundle.Rendered atom(Feed feed, Event newest) {
    return new Bundle.Rendered(
        ATOM, SuperfeedrAtom.write(feed, newest.update().status(), newest.at()));
  }

  static Bundle.Rendered json(Feed feed, Event newest) {
    return new Bundle.Rendered(JSON, SuperfeedrJson.write(feed, newest.update().status()));
  }
}
