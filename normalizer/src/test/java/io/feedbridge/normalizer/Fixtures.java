package io.feedbridge.normalizer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The feeds under {@code feeds/}, one of each format, and short ones made on the spot. */
final class Fixtures {
  static final List<String> ALL =
      List.of("rss2.xml", "rss1.xml", "atom.xml", "atom03.xml", "feed.json");

  static final URI BASE = URI.create("https://harbour.example/feeds/rss.xml");

  private static final FeedParser PARSER = new FeedParser();

  private Fixtures() {}

  static byte[] bytes(String name) {
    try (InputStream in =
        Objects.requireNonNull(Fixtures.class.getResourceAsStream("/feeds/" + name), name)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> lines(String resource) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(Fixtures.class.getResourceAsStream(resource), resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  static Feed feed(String name) {
    try {
      return PARSER.parse(bytes(name), null, BASE);
    } catch (FeedParseException e) {
      throw new AssertionError(e);
    }
  }

  static Feed parse(String document) throws FeedParseException {
    return PARSER.parse(document.getBytes(StandardCharsets.UTF_8), null, BASE);
  }

  static Feed parse(byte[] document, @Nullable String contentType) throws FeedParseException {
    return PARSER.parse(document, contentType, BASE);
  }

  /** An RSS document with these elements in its channel. */
  static String channel(String elements) {
    return "<rss version='2.0'><channel><title>t</title>" + elements + "</channel></rss>";
  }

  /** An RSS document of one item, with the usual prefixes declared. */
  static String item(String elements) {
    return "<rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'"
        + " xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
        + " xmlns:media='http://search.yahoo.com/mrss/'"
        + " xmlns:xhtml='http://www.w3.org/1999/xhtml'"
        + " xmlns:as='http://activitystrea.ms/spec/1.0'"
        + " xmlns:georss='http://www.georss.org/georss' xmlns:gml='http://www.opengis.net/gml'>"
        + "<channel><link>https://harbour.example/</link><item>"
        + elements
        + "</item></channel></rss>";
  }

  static Entry entry(String elements) throws FeedParseException {
    return parse(item(elements)).entries().get(0);
  }
}
