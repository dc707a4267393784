package io.feedbridge.normalizer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;

/**
 * Entries of a feed in the family of the feed's own document, for a reader that polls the document
 * too: an entry has the id that it has there, in the same form, and none where it has none there.
 * The status stands beside the entries, in Superfeedr's namespace. Thread-safe.
 */
public final class TopicDocument {

  private TopicDocument() {}

  /**
   * The entries as one document in UTF-8.
   *
   * @param family of the feed's own document
   * @param offer the links to itself and to hubs, and the clouds, in place of the feed's own
   * @param firstSeen {@code updated} of feed and entries in Atom that have no date at all
   */
  public static byte[] write(
      FeedFamily family, Feed feed, Status status, PushOffer offer, Instant firstSeen) {
    Feed own = feed.withEntries(feed.entries().stream().map(Entry::withoutGeneratedId).toList());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      switch (family) {
        case RSS -> RssWriter.write(RssVersion.TWO, own, offer, status, out);
        case RDF -> RssWriter.write(RssVersion.ONE, own, offer, status, out);
        case ATOM, OPML -> SuperfeedrAtom.write(offer.on(own), status, firstSeen, out);
        case JSON_FEED -> JsonFeedWriter.write(own, offer, status, out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
    return out.toByteArray();
  }
}
