package io.feedbridge.gateway.demo;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;

/** An RSS 2.0 feed to which items are added. Thread-safe. */
final class DemoFeed {

  private static final int MAX_ITEMS = 10;

  private final String title;
  private final String url;
  private final String channelElements;
  private final Deque<Item> items = new ArrayDeque<>();
  private int version;

  private record Item(String id, String title, Instant at) {}

  /** A version of the document, named by its entity tag. */
  record Version(String etag, String document) {}

  /**
   * A feed without items.
   *
   * @param channelElements XML to stand in the channel, before the items
   */
  DemoFeed(String title, String url, String channelElements) {
    this.title = title;
    this.url = url;
    this.channelElements = channelElements;
  }

  /**
   * Adds an item at the top; the oldest of more than {@value #MAX_ITEMS} is dropped.
   *
   * @param title without characters that XML escapes
   */
  synchronized void add(String title, Instant at) {
    version++;
    items.addFirst(new Item(url + "#" + version, title, at));
    if (items.size() > MAX_ITEMS) {
      items.removeLast();
    }
  }

  /** The document as it is now. */
  synchronized Version current() {
    StringBuilder xml = new StringBuilder();
    xml.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\">\n<channel>\n")
        .append("<title>%s</title>\n<link>%s</link>\n".formatted(title, url))
        .append("<description>A feed that updates itself</description>\n")
        .append(channelElements);
    for (Item item : items) {
      String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(item.at.atOffset(ZoneOffset.UTC));
      xml.append("<item>\n<guid isPermaLink=\"false\">%s</guid>\n".formatted(item.id))
          .append(
              "<title>%s</title>\n<pubDate>%s</pubDate>\n</item>\n".formatted(item.title, date));
    }
    xml.append("</channel>\n</rss>\n");
    return new Version("\"" + version + "\"", xml.toString());
  }
}
