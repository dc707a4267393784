package io.feedbridge.normalizer;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The families of the formats that a topic's document has. */
public enum FeedFamily {
  /** RSS 0.91 to 0.94 and 2.0. */
  RSS,
  /** RSS 0.90 and 1.0. */
  RDF,
  /** Atom 0.3 and 1.0. */
  ATOM,
  /** OPML: a list, whose entries are its feeds. News of a list is written in another format. */
  OPML,
  /** JSON Feed 1.0 and 1.1. */
  JSON_FEED;

  /**
   * The family of a document that was read as a feed; null for a format of no family (CDF).
   *
   * @param text the document, which begins with XML or JSON
   */
  static @Nullable FeedFamily of(String text) {
    if (text.charAt(0) == '{') {
      return JSON_FEED;
    }
    return switch (XmlProlog.rootName(text).toLowerCase(Locale.ROOT)) {
      case "rss" -> RSS;
      case "rdf" -> RDF;
      case "feed", "entry", Removals.TOMBSTONE -> ATOM;
      case "opml" -> OPML;
      default -> null;
    };
  }
}
