package io.feedbridge.gateway.bench.data;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.SplittableRandom;

/**
 * The Atom feeds that the bench publishes, as weblogs write them, with a language and escaped HTML:
 * each version has one entry that the version before did not have, with as many older ones as were
 * asked for.
 *
 * @param entries in a document
 * @param entryBytes of the content of each, roughly
 */
public record SampleFeed(int entries, int entryBytes) {

  public static final String CONTENT_TYPE = "application/atom+xml; charset=utf-8";

  /** Versions count from here, so that their entries have a past. */
  public static final int FIRST_VERSION = 1_000;

  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
  private static final int SHORTEST_WORD = 2;
  private static final int LONGEST_WORD = 9;
  private static final int LETTERS = 26;
  private static final int WORDS_OF_PARAGRAPH = 40;
  private static final String PARAGRAPH = "&lt;/p&gt;\n&lt;p&gt;";

  /** The mark that each document of a version contains, and no newest entry of another version. */
  public static String mark(int version) {
    return ":" + version + ":";
  }

  /** The document of a feed. */
  public byte[] document(String url, int feed, int version) {
    StringBuilder xml = new StringBuilder(entries * (entryBytes + 400) + 1_000);
    xml.append(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
          <title>Feed %d of the bench</title>
          <id>urn:feedbridge:bench:%d</id>
          <link rel="self" href="%s"/>
          <updated>%s</updated>
        """
            .formatted(feed, feed, url, at(version)));
    for (int i = 0; i < entries; i++) {
      entry(xml, feed, version - i);
    }
    return xml.append("</feed>\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  private void entry(StringBuilder xml, int feed, int version) {
    xml.append(
        """
          <entry>
            <title>Entry %d of feed %d</title>
            <id>urn:feedbridge:bench:%d:%d:</id>
            <link rel="alternate" href="https://bench.example/%d/%d.html"/>
            <published>%s</published>
            <updated>%s</updated>
            <author><name>An author</name></author>
            <content type="html">"""
            .formatted(version, feed, feed, version, feed, version, at(version), at(version)));
    text(xml, feed * 1_000_003L + version);
    xml.append("</content>\n  </entry>\n");
  }

  private static Instant at(int version) {
    return EPOCH.plusSeconds(version);
  }

  private void text(StringBuilder xml, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int end = xml.length() + entryBytes - PARAGRAPH.length();
    for (int words = 0; xml.length() < end; words++) {
      if (words % WORDS_OF_PARAGRAPH == 0) {
        xml.append(words == 0 ? "&lt;p&gt;" : PARAGRAPH);
      }
      int word = random.nextInt(SHORTEST_WORD, LONGEST_WORD);
      for (int i = 0; i < word; i++) {
        xml.append((char) ('a' + random.nextInt(LETTERS)));
      }
      xml.append(' ');
    }
    xml.append("&lt;/p&gt;");
  }
}
