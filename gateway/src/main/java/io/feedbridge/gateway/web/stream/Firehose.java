package io.feedbridge.gateway.web.stream;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Link;
import io.feedbridge.normalizer.Source;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events in the form of FeedLand's socket: a message for each entry, the oldest first. */
final class Firehose {

  private static final String NEW_ITEM = "newItem";
  private static final String UPDATED_ITEM = "updatedItem";
  private static final String UPDATED_FEED = "updatedFeed";

  private Firehose() {}

  /** A message; its members have the names that FeedLand gives them. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Message(String eventId, @Nullable Item item, OfFeed theFeed) {}

  /** The feed of a message. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record OfFeed(
      String feedUrl,
      @Nullable String title,
      @Nullable String htmlUrl,
      @Nullable String description) {}

  /** An entry. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record Item(
      String feedUrl,
      String guid,
      @Nullable String title,
      @Nullable String link,
      @Nullable String description,
      @Nullable Instant pubDate,
      @Nullable Instant whenUpdated,
      @Nullable String author,
      List<String> categories,
      @Nullable Enclosure enclosure) {}

  /** A file of an entry. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Enclosure(String url, @Nullable String type, @Nullable Long length) {}

  /**
   * The messages of an event; empty if it has none for this kind of reader.
   *
   * @param updates whether entries that have changed are news to it
   */
  static byte[] frames(Event event, boolean updates) {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    Update update = event.update();
    if (update.statusChanged()) {
      frames.writeBytes(frame(event, UPDATED_FEED, null));
    }
    if (updates) {
      oldestFirst(event, UPDATED_ITEM, update.changed(), frames);
    }
    oldestFirst(event, NEW_ITEM, update.feed().entries(), frames);
    return frames.toByteArray();
  }

  private static void oldestFirst(
      Event event, String verb, List<Entry> newestFirst, ByteArrayOutputStream into) {
    for (int i = newestFirst.size() - 1; i >= 0; i--) {
      into.writeBytes(frame(event, verb, newestFirst.get(i)));
    }
  }

  private static byte[] frame(Event event, String verb, @Nullable Entry entry) {
    OfFeed feed = feed(event, entry);
    Item item = entry == null ? null : item(entry, feed.feedUrl);
    Message message = new Message(Long.toString(event.seq()), item, feed);
    return Wire.FIREHOSE.document(event.seq(), verb, Json.bytes(message));
  }

  /** Of an entry of a list or a tracker, its own feed. */
  private static OfFeed feed(Event event, @Nullable Entry entry) {
    Source source = entry == null ? null : entry.source();
    if (source != null && source.status() != null) {
      return new OfFeed(
          source.status().feed(),
          source.title(),
          Link.permalink(source.links()),
          source.subtitle());
    }
    Feed feed = event.update().feed();
    return new OfFeed(event.topic(), feed.title(), feed.permalink(), feed.subtitle());
  }

  private static Item item(Entry entry, String feedUrl) {
    Content content = entry.content() == null ? entry.summary() : entry.content();
    return new Item(
        feedUrl,
        entry.id(),
        entry.title(),
        entry.permalink(),
        content == null ? null : content.absolute(),
        entry.published() == null ? entry.updated() : entry.published(),
        entry.updated(),
        entry.authors().stream().map(Author::name).findFirst().orElse(null),
        entry.categories(),
        entry.links().stream()
            .filter(link -> link.rel().equals(Link.ENCLOSURE))
            .map(link -> new Enclosure(link.href(), link.type(), link.length()))
            .findFirst()
            .orElse(null));
  }
}
