package io.feedbridge.gateway.webhook.targets;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Link;
import io.feedbridge.normalizer.Status;
import io.feedbridge.normalizer.SuperfeedrJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The news of a feed for one webhook, in no form yet.
 *
 * @param feed with the entries and removals that are news
 * @param eventId of the newest event in it
 * @param at the time of that event
 * @param fields the members of an entry that the webhook wishes; empty for all
 */
public record FeedDocument(
    Feed feed, Status status, long eventId, Instant at, List<String> fields) {

  /** The beginning of a document with entries, in place of its brace. */
  private static final Kind ENTRIES = Kind.of("feed.entries");

  /** The beginning of a document that has removed entries alone. */
  private static final Kind REMOVED = Kind.of("feed.entries.removed");

  /** The beginning of a document that has the status of a feed alone. */
  private static final Kind STATUS = Kind.of("feed.status");

  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  private record Kind(String type, byte[] beginning) {
    static Kind of(String type) {
      return new Kind(type, "{\"type\":\"%s\",".formatted(type).getBytes(UTF_8));
    }
  }

  /** A document by which a form is tried out where no feed has an entry yet. */
  public static FeedDocument example() {
    Instant at = Instant.parse("2026-01-01T12:00:00Z");
    Entry entry =
        new Entry(
            "https://example.com/first",
            false,
            "An \"example\" & its title",
            at,
            null,
            Content.html("<p>The text of the example.</p>"),
            null,
            List.of(new Link(Link.ALTERNATE, "https://example.com/first", "text/html", null, null)),
            List.of("example"),
            List.of(Author.named("Ada")),
            null,
            List.of(),
            List.of(),
            null,
            null);
    return new FeedDocument(
        Feed.bare("https://example.com/feed", "Example").withEntries(List.of(entry)),
        new Status(
            "https://example.com/feed",
            "Example",
            200,
            "1 new entry",
            at,
            900L,
            at,
            at,
            at,
            1L,
            1L,
            0.5,
            0.0,
            null),
        1,
        at,
        List.of());
  }

  /** The messages of the gateway's own events, of which each has its own type, the oldest first. */
  public List<FeedDocument> ownEvents() {
    List<FeedDocument> all = new ArrayList<>();
    feed.entries().forEach(entry -> all.add(0, of(entry)));
    return all;
  }

  private Kind kind() {
    if (GatewayTopic.is(status.feed()) && feed.entries().size() == 1) {
      return Kind.of(feed.entries().get(0).categories().get(0));
    }
    return !feed.entries().isEmpty() ? ENTRIES : feed.removals().isEmpty() ? STATUS : REMOVED;
  }

  /** The type of the message. */
  String type() {
    return kind().type;
  }

  /** The document of the schema, with its {@code type} before all other members. */
  public byte[] json() {
    byte[] document = SuperfeedrJson.write(feed, status, fields, false);
    byte[] type = kind().beginning;
    byte[] typed = Arrays.copyOf(type, type.length + document.length - 1);
    System.arraycopy(document, 1, typed, type.length, document.length - 1);
    return typed;
  }

  /** This document with one of its entries alone. */
  FeedDocument of(Entry entry) {
    return new FeedDocument(
        feed.withEntries(List.of(entry)).withRemovals(List.of()), status, eventId, at, fields);
  }
}
