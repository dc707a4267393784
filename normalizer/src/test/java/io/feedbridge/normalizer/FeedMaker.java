package io.feedbridge.normalizer;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A feed that lives: documents of it, one after the other, each a little different. */
final class FeedMaker {
  enum Format {
    RSS,
    RDF,
    ATOM
  }

  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

  private static final class Item {
    final int number;
    final boolean hasId;
    int version;
    int seconds;
    int stamp;

    Item(int number, boolean hasId) {
      this.number = number;
      this.hasId = hasId;
    }
  }

  private final Random random;
  private final Format format;
  private final List<Item> items = new ArrayList<>();
  private int made;
  private int documents;
  private String base = "";
  private String around = "";
  private String space = "";

  FeedMaker(long seed) {
    random = new Random(seed);
    format = Format.values()[random.nextInt(3)];
    for (int i = random.nextInt(8); i >= 0; i--) {
      add();
    }
  }

  private void add() {
    items.add(0, new Item(made++, random.nextInt(8) > 0));
  }

  private Item any() {
    return items.get(random.nextInt(items.size()));
  }

  /** Something happens to the feed, sometimes nothing. */
  void live() {
    for (int i = random.nextInt(3); i > 0; i--) {
      switch (random.nextInt(13)) {
        case 0, 1, 2 -> add();
        case 3, 4 -> any().version++;
        case 5 -> any().seconds++;
        case 6 -> any().seconds--;
        case 7 -> items.forEach(item -> item.stamp++);
        case 8 -> any().stamp++;
        case 9 -> base = base.isEmpty() ? " xml:base='http://other.example/'" : "";
        case 10 -> around = around.isEmpty() ? "<!-- <item> & --><other><item/></other>" : "";
        case 11 -> space = space + " ";
        default -> items.add(random.nextInt(items.size()), any());
      }
      if (items.size() > 12) {
        items.remove(items.size() - 1);
      }
    }
  }

  String document() {
    documents++;
    StringBuilder out = new StringBuilder("<?xml version='1.0'?>\n");
    String namespaces =
        " xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:dcterms='http://purl.org/dc/terms/'";
    String fields = "<title>Feed " + documents + "</title><link>http://feed.example/</link>";
    switch (format) {
      case RSS -> {
        out.append("<rss version='2.0'").append(base).append(namespaces).append("><channel>");
        out.append(fields).append(around);
        items.forEach(item -> item(item, out));
        out.append("<ttl>").append(documents).append("</ttl></channel></rss>");
      }
      case RDF -> {
        out.append("<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'")
            .append(" xmlns='http://purl.org/rss/1.0/'")
            .append(base)
            .append(namespaces)
            .append("><channel>")
            .append(fields)
            .append("</channel>")
            .append(around);
        items.forEach(item -> item(item, out));
        out.append("</r:RDF>");
      }
      case ATOM -> {
        out.append("<feed xmlns='http://www.w3.org/2005/Atom'").append(base).append(namespaces);
        out.append("><title>Feed ").append(documents).append("</title>").append(around);
        items.forEach(item -> entry(item, out));
        out.append("</feed>");
      }
    }
    return out.toString();
  }

  private void item(Item item, StringBuilder out) {
    String id = "http://feed.example/id/" + item.number;
    out.append(format == Format.RDF && item.hasId ? "<item r:about='" + id + "'>" : "<item>");
    out.append("<title>").append(title(item)).append("</title>").append(space);
    out.append("<link>").append(link(item)).append("</link>");
    if (item.hasId && format == Format.RSS) {
      out.append("<guid isPermaLink='false'> ").append(id).append("</guid>");
    }
    out.append("<pubDate>")
        .append(
            DateTimeFormatter.RFC_1123_DATE_TIME.format(
                START.plusSeconds(item.stamp).atOffset(ZoneOffset.UTC)))
        .append("</pubDate><dcterms:modified>")
        .append(START.plusSeconds(item.seconds))
        .append("</dcterms:modified><description><![CDATA[<p>")
        .append(title(item))
        .append("</item>é]]></description><other><guid>x</guid></other></item>\n");
  }

  private void entry(Item item, StringBuilder out) {
    out.append("<entry xmlns:x='urn:x'>").append(space);
    if (item.hasId) {
      out.append("<id>tag:").append(item.number).append("</id>");
    }
    out.append("<title>").append(title(item)).append("</title>");
    out.append("<link href='").append(link(item)).append("'/>");
    out.append("<x:id>1</x:id><updated>").append(START.plusSeconds(item.seconds));
    out.append("</updated><content type='html'>&lt;p>&#233; </content></entry>\n");
  }

  private static String title(Item item) {
    return "Entry " + item.number + " &amp; version " + item.version;
  }

  private static String link(Item item) {
    return item.number % 5 == 4 ? "relative/" + item.number : "http://feed.example/" + item.number;
  }
}
