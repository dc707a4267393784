package io.feedbridge.normalizer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Feeds with damage of one kind each, the same at every run: five feeds in the forms that most
 * publishers write, and the fixtures in XML.
 */
final class DamagedFeeds {
  enum Damage {
    END_TAG_REMOVED,
    TWO_TAGS_REMOVED,
    BYTES_FLIPPED,
    CDATA_LEFT_OPEN,
    CUT_OFF,
    TEXT_BEFORE,
    WRONG_CHARSET,
    TAGS_REMOVED,
    ROOT_DAMAGED,
    CONTROLS_BEFORE,
    LAST_TWICE,
    CUT_ANYWHERE
  }

  /** One damaged document. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  record Document(String name, byte[] bytes) {}

  private static final int ENTRIES = 10;
  private static final int VERSIONS = 12;
  private static final Pattern ENTRY = Pattern.compile("<(?:item|entry)[ >]");
  private static final Pattern END_TAG = Pattern.compile("</[^>]+>");
  private static final Pattern TAG = Pattern.compile("</?[A-Za-z][^>]*>");
  private static final Pattern START_TAG = Pattern.compile("<([A-Za-z][\\w:.-]*)[^>]*>");
  private static final Charset LATIN_1 = StandardCharsets.ISO_8859_1;

  private static final List<String> BEFORE =
      List.of(
          "<br />\n<b>Warning</b>:  Undefined variable $x in <b>/srv/feed.php</b> on line <b>3</b>"
              + "<br />\n",
          "<!-- cached -->\n",
          "\uFEFF",
          "\n\n",
          "\n \uFEFF",
          "<!-- cached --><!-- <rss> -->\uFEFF",
          "Notice: Undefined index: q in /srv/feed.php on line 12\n",
          "<p>Deprecated: x &nbsp; y</p>\n<!-- z -->",
          "HTTP/1.0 200 OK\r\nContent-Type: text/xml\r\n\r\n",
          "<script>var a = 1 < 2;</script>",
          "0\uFEFF\uFEFF",
          "<style>a > b { color: red }</style>\n");

  /** Before the document, and the last ones between the prolog and the root. */
  private static final List<String> CONTROLS =
      List.of(
          "\0",
          "\0\0\0\0",
          "\0\0",
          "\u0001\u0002",
          "\u001b[0m",
          "\r\n\0\r\n",
          "\0\uFEFF",
          "\b\u007f \u001f",
          "\0",
          "\0\0\0\0\0",
          "\u0001\b\u001b",
          "\n\0\n");

  private final Random random = new Random(20_261_122);

  private DamagedFeeds() {}

  /** All documents with damage of the kind. */
  static List<Document> of(Damage damage) {
    return new DamagedFeeds().documents(damage);
  }

  private List<Document> documents(Damage damage) {
    List<Document> documents = new ArrayList<>();
    List<String> feeds = feeds();
    for (int i = 0; i < feeds.size(); i++) {
      for (int version = 0; version < VERSIONS; version++) {
        byte[] damaged = damaged(feeds.get(i), damage, version);
        if (damaged.length > 0) {
          documents.add(new Document(damage + "-" + i + "-" + version + ".xml", damaged));
        }
      }
    }
    return documents;
  }

  private byte[] damaged(String feed, Damage damage, int version) {
    return switch (damage) {
      // Half of them in the feed's own fields, where most can be lost
      case END_TAG_REMOVED ->
          utf8(without(feed, END_TAG, 1, version % 2 == 0 ? head(feed) : feed.length()));
      case TWO_TAGS_REMOVED -> utf8(without(feed, TAG, 2, feed.length()));
      case BYTES_FLIPPED -> flipped(utf8(feed), 1 + version % 6);
      case CDATA_LEFT_OPEN -> utf8(leftOpen(feed));
      case CUT_OFF -> {
        int item = head(feed);
        yield utf8(feed.substring(0, item + random.nextInt(feed.length() - item)));
      }
      case TEXT_BEFORE -> utf8(BEFORE.get(version % 12) + feed);
      case WRONG_CHARSET -> wrongly(feed, version);
      case TAGS_REMOVED -> utf8(without(feed, TAG, 3 + version % 6, feed.length()));
      case ROOT_DAMAGED -> utf8(withRoot(feed, version));
      case CONTROLS_BEFORE -> {
        int root = version < 8 ? 0 : rootTag(feed).start();
        yield utf8(feed.substring(0, root) + CONTROLS.get(version) + feed.substring(root));
      }
      case LAST_TWICE -> utf8(lastTwice(feed, version));
      case CUT_ANYWHERE -> {
        int item = head(feed);
        yield utf8(feed.substring(0, item + (feed.length() - item) * (2 * version + 1) / 24));
      }
    };
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Where the first entry begins. */
  private static int head(String feed) {
    Matcher entry = ENTRY.matcher(feed);
    return entry.find() ? entry.start() : feed.length();
  }

  private String without(String feed, Pattern what, int count, int to) {
    List<int[]> places = new ArrayList<>();
    Matcher matcher = what.matcher(feed).region(0, to);
    while (matcher.find()) {
      places.add(new int[] {matcher.start(), matcher.end()});
    }
    Collections.shuffle(places, random);
    List<int[]> removed = new ArrayList<>(places.subList(0, Math.min(count, places.size())));
    removed.sort((a, b) -> b[0] - a[0]);
    StringBuilder out = new StringBuilder(feed);
    removed.forEach(place -> out.delete(place[0], place[1]));
    return out.toString();
  }

  private byte[] flipped(byte[] feed, int count) {
    byte[] out = feed.clone();
    for (int i = 0; i < count; i++) {
      out[random.nextInt(out.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return out;
  }

  private static MatchResult rootTag(String feed) {
    Matcher tag = START_TAG.matcher(feed);
    if (!tag.find()) {
      throw new IllegalArgumentException(feed);
    }
    return tag.toMatchResult();
  }

  /** Its root misspelt, cut off, without a bracket, in pieces or away; its end tag stands. */
  private static String withRoot(String feed, int version) {
    MatchResult root = rootTag(feed);
    String tag = root.group();
    String name = root.group(1);
    String damaged =
        switch (version) {
          case 0 -> tag.replaceFirst(name, name.substring(0, name.length() - 1));
          case 1 -> tag.replaceFirst(name, name.substring(1));
          case 2 -> tag.replaceFirst(name, name + "x");
          case 3 -> tag.replaceFirst(name, name.charAt(0) + "\uFFFD" + name.substring(2));
          case 4 -> tag.substring(0, tag.length() - 1);
          case 5 -> tag.substring(1);
          case 6 -> "<" + name.charAt(0) + ">";
          case 7 -> "";
          case 8 -> tag.substring(0, tag.length() / 2);
          case 9 -> "<" + tag;
          case 10 ->
              tag.replaceFirst(name, name.charAt(1) + name.substring(0, 1) + name.substring(2));
          default -> tag.replaceFirst(name, name + "\0");
        };
    return feed.substring(0, root.start()) + damaged + feed.substring(root.end());
  }

  /**
   * Its last entry or its end from the last entry on stands twice, or stands behind the root too.
   */
  private static String lastTwice(String feed, int version) {
    int start = Math.max(feed.lastIndexOf("<item"), feed.lastIndexOf("<entry"));
    int end = Math.max(feed.lastIndexOf("</item>") + 7, feed.lastIndexOf("</entry>") + 8);
    String entry = feed.substring(start, end);
    String tail = feed.substring(start);
    return switch (version % 6) {
      case 0 -> feed.substring(0, end) + entry + feed.substring(end);
      case 1 -> feed.substring(0, end) + "\n" + tail;
      case 2 -> feed + tail;
      case 3 -> feed + entry;
      // The copy begins within the entry
      case 4 -> feed.substring(0, end) + tail.substring(tail.indexOf('>') + 1);
      default -> feed.substring(0, start + entry.length() / 2) + tail;
    };
  }

  /** One of the ends of CDATA is missing, or CDATA begins in a text and does not end. */
  private String leftOpen(String feed) {
    int end = feed.indexOf("]]>", random.nextInt(feed.length()));
    if (end >= 0 && random.nextBoolean()) {
      return feed.substring(0, end) + feed.substring(end + 3);
    }
    Matcher text = Pattern.compile("<(?:title|description|content|summary)[^>/]*>").matcher(feed);
    return text.find(random.nextInt(feed.length() * 3 / 4))
        ? feed.substring(0, text.end()) + "<![CDATA[" + feed.substring(text.end())
        : "";
  }

  private static byte[] wrongly(String feed, int version) {
    String body = feed.substring(feed.indexOf("?>") + 2).replace("story", "störy “é”");
    List<String> labels =
        List.of("utf-8", "utf-16", "iso-8859-1", "x-nonsense", "us-ascii", "gb2312");
    String declared = "<?xml version=\"1.0\" encoding=\"" + labels.get(version % 6) + "\"?>" + body;
    if (version % 12 < 6) {
      return utf8(declared);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(declared.replace("“", "\"").replace("”", "\"").getBytes(LATIN_1));
    return bytes.toByteArray();
  }

  private static List<String> feeds() {
    List<String> feeds = new ArrayList<>();
    feeds.add(rss(true));
    feeds.add(rss(false));
    feeds.add(rdf());
    feeds.add(atom(true));
    feeds.add(atom(false));
    for (String name : List.of("rss2.xml", "rss1.xml", "atom.xml", "atom03.xml")) {
      feeds.add(new String(Fixtures.bytes(name), StandardCharsets.UTF_8));
    }
    return feeds;
  }

  /** RSS 2.0 as blogs write it, with the full text in CDATA, or as podcasts do, with none. */
  private static String rss(boolean blog) {
    StringBuilder out =
        new StringBuilder(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
              xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"
              xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
            <channel>
              <title>Harbour notes</title>
              <atom:link href="https://a.example/feed" rel="self" type="application/rss+xml" />
              <link>https://a.example/</link>
              <description>What the tide brought in</description>
              <lastBuildDate>Tue, 10 Mar 2026 08:00:00 +0000</lastBuildDate>
              <language>en</language>
              <image><url>https://a.example/i.png</url><title>Notes</title><link>https://a.example/</link></image>
              <itunes:owner><itunes:name>Mia</itunes:name></itunes:owner>
            """);
    for (int i = 0; i < ENTRIES; i++) {
      out.append("  <item>\n    <title>Part ").append(i).append(" of the story</title>\n");
      out.append("    <link>https://a.example/").append(i).append("</link>\n");
      out.append("    <pubDate>Tue, 10 Mar 2026 07:0").append(i).append(":00 +0000</pubDate>\n");
      out.append("    <guid isPermaLink=\"false\">https://a.example/?p=").append(i);
      out.append("</guid>\n");
      if (blog) {
        out.append("    <dc:creator><![CDATA[Mia Keel]]></dc:creator>\n");
        out.append("    <category><![CDATA[Sea & land]]></category>\n");
        out.append("    <description><![CDATA[<p>A story &#8230;</p>]]></description>\n");
        out.append("    <content:encoded><![CDATA[<h2>Day</h2>\n<p>A <b>long</b> story<br>with")
            .append(
                " <a href=\"https://b.example/?a=1&b=2\">a link</a></p>]]></content:encoded>\n");
      } else {
        out.append("    <description>&lt;p&gt;A story, told&lt;/p&gt;</description>\n");
        out.append("    <itunes:duration>12:30</itunes:duration>\n");
        out.append("    <enclosure url=\"https://a.example/").append(i);
        out.append(".mp3\" length=\"1234\" type=\"audio/mpeg\"/>\n");
      }
      out.append("  </item>\n");
    }
    return out.append("</channel>\n</rss>\n").toString();
  }

  private static String rdf() {
    StringBuilder out =
        new StringBuilder(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
              xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
            <channel rdf:about="https://c.example/">
              <title>Coast wire</title>
              <link>https://c.example/</link>
              <description>News of the coast</description>
              <items><rdf:Seq><rdf:li resource="https://c.example/0"/></rdf:Seq></items>
            </channel>
            """);
    for (int i = 0; i < ENTRIES; i++) {
      out.append("<item rdf:about=\"https://c.example/").append(i).append("\">\n");
      out.append("  <title>A story ").append(i).append("</title>\n");
      out.append("  <link>https://c.example/").append(i).append("</link>\n");
      out.append("  <description>Of the coast</description>\n");
      out.append("  <dc:date>2026-03-10T07:0").append(i).append(":00Z</dc:date>\n</item>\n");
    }
    return out.append("</rdf:RDF>\n").toString();
  }

  private static String atom(boolean xhtml) {
    StringBuilder out =
        new StringBuilder(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
              <id>tag:d.example,2026:feed</id>
              <title type="text">Dunes</title>
              <subtitle type="html">Sand &amp;amp; wind</subtitle>
              <updated>2026-03-10T08:00:00Z</updated>
              <link rel="alternate" type="text/html" href="https://d.example/"/>
              <author><name>Ole Bar</name><uri>https://d.example/ole</uri></author>
            """);
    for (int i = 0; i < ENTRIES; i++) {
      out.append("  <entry>\n    <id>tag:d.example,2026:").append(i).append("</id>\n");
      out.append("    <published>2026-03-10T07:0").append(i).append(":00Z</published>\n");
      out.append("    <updated>2026-03-10T07:3").append(i).append(":00Z</updated>\n");
      out.append("    <title>The story ").append(i).append("</title>\n");
      out.append("    <link rel=\"alternate\" href=\"https://d.example/").append(i);
      out.append("\"/>\n    <category term=\"Sand\"/>\n");
      out.append(
          xhtml
              ? "    <content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\"><p>A story"
                  + " <em>of</em> sand</p><ul><li>one</li><li>two</li></ul></div></content>\n"
              : "    <content type=\"html\">&lt;p&gt;A story of sand &amp;amp; wind&lt;/p&gt;"
                  + "</content>\n");
      out.append("    <author><name>Ole Bar</name></author>\n  </entry>\n");
    }
    return out.append("</feed>\n").toString();
  }
}
