package io.feedbridge.normalizer;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Random;

/** Feeds as weblogs write them: of a hundred entries, some 190 KB; longer ones with less in each. */
final class BenchFeeds {
  private static final Instant START = Instant.parse("2026-03-01T08:00:00Z");
  private static final String[] WORDS =
      ("harbour tide gull rope anchor mast keel bow stern sail wind wave storm calm fish net boat "
              + "crew port starboard deck hull chart lantern fog bell buoy shore sand stone rain")
          .split(" ");

  private BenchFeeds() {}

  /** A document whose newest entry has the number {@code last} and its oldest {@code last - entries + 1}. */
  static byte[] document(String format, int entries, int last, int fetch) {
    StringBuilder out = new StringBuilder(entries * 2_000);
    if (format.equals("rss")) {
      rss(out, entries, last, fetch);
    } else {
      atom(out, entries, last, fetch);
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void rss(StringBuilder out, int entries, int last, int fetch) {
    out.append(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
          xmlns:wfw="http://wellformedweb.org/CommentAPI/" xmlns:dc="http://purl.org/dc/elements/1.1/"
          xmlns:atom="http://www.w3.org/2005/Atom" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"
          xmlns:slash="http://purl.org/rss/1.0/modules/slash/">
        <channel>
          <title>Harbour notes</title>
          <atom:link href="https://harbour.example/feed/" rel="self" type="application/rss+xml"/>
          <link>https://harbour.example</link>
          <description>What the tide brought in</description>
        """);
    out.append("  <lastBuildDate>").append(rfc822(last + fetch)).append("</lastBuildDate>\n");
    out.append(
        """
          <language>en-GB</language>
          <sy:updatePeriod>hourly</sy:updatePeriod>
          <sy:updateFrequency>1</sy:updateFrequency>
          <image><url>https://harbour.example/icon.png</url><title>Harbour notes</title>
            <link>https://harbour.example</link><width>32</width><height>32</height></image>
        """);
    for (int i = last; i > last - entries; i--) {
      Random random = new Random(i);
      String link = "https://harbour.example/2026/03/" + i + "-" + word(random) + "/";
      out.append("  <item>\n    <title>").append(words(random, 6)).append(" &#8217;s ");
      out.append(i).append("</title>\n    <link>").append(link).append("</link>\n");
      out.append("    <comments>").append(link).append("#comments</comments>\n");
      out.append("    <dc:creator><![CDATA[").append(word(random)).append("]]></dc:creator>\n");
      out.append("    <pubDate>").append(rfc822(i)).append("</pubDate>\n");
      for (int c = 0; c < 3; c++) {
        out.append("    <category><![CDATA[").append(word(random)).append("]]></category>\n");
      }
      out.append("    <guid isPermaLink=\"false\">https://harbour.example/?p=").append(i);
      out.append("</guid>\n    <description><![CDATA[<p>").append(words(random, 25));
      out.append(" &#8230;</p>]]></description>\n    <content:encoded><![CDATA[");
      html(random, entries, out);
      out.append("]]></content:encoded>\n    <wfw:commentRss>").append(link);
      out.append("feed/</wfw:commentRss>\n    <slash:comments>2</slash:comments>\n  </item>\n");
    }
    out.append("</channel>\n</rss>\n");
  }

  private static void atom(StringBuilder out, int entries, int last, int fetch) {
    out.append(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-GB">
          <id>https://harbour.example/feed/atom/</id>
          <title type="text">Harbour notes</title>
          <subtitle type="text">What the tide brought in</subtitle>
          <link rel="alternate" type="text/html" href="https://harbour.example"/>
          <link rel="self" type="application/atom+xml" href="https://harbour.example/feed/atom/"/>
        """);
    out.append("  <updated>").append(START.plusSeconds(60L * (last + fetch)));
    out.append("</updated>\n");
    for (int i = last; i > last - entries; i--) {
      Random random = new Random(i);
      String link = "https://harbour.example/2026/03/" + i + "-" + word(random) + "/";
      out.append("  <entry>\n    <author><name>").append(word(random));
      out.append("</name><uri>https://harbour.example</uri></author>\n");
      out.append("    <title type=\"html\"><![CDATA[").append(words(random, 6)).append(i);
      out.append("]]></title>\n    <link rel=\"alternate\" type=\"text/html\" href=\"");
      out.append(link).append("\"/>\n    <id>https://harbour.example/?p=").append(i);
      out.append("</id>\n    <updated>").append(START.plusSeconds(60L * i));
      out.append("</updated>\n    <published>").append(START.plusSeconds(60L * i));
      out.append("</published>\n");
      for (int c = 0; c < 3; c++) {
        out.append("    <category scheme=\"https://harbour.example\" term=\"");
        out.append(word(random)).append("\"/>\n");
      }
      out.append("    <summary type=\"html\"><![CDATA[<p>").append(words(random, 25));
      out.append("</p>]]></summary>\n    <content type=\"html\" xml:base=\"").append(link);
      out.append("\">");
      StringBuilder html = new StringBuilder();
      html(random, entries, html);
      out.append(html.toString().replace("&", "&amp;").replace("<", "&lt;"));
      out.append("</content>\n    <link rel=\"replies\" type=\"text/html\" href=\"").append(link);
      out.append("#comments\"/>\n  </entry>\n");
    }
    out.append("</feed>\n");
  }

  private static void html(Random random, int entries, StringBuilder out) {
    for (int p = entries > 100 ? 1 : 3; p > 0; p--) {
      out.append("<p>").append(words(random, 24)).append(" <a href=\"https://other.example/");
      out.append(word(random)).append("\">").append(words(random, 3)).append("</a> ");
      out.append(words(random, 18)).append("&nbsp;</p>\n");
    }
  }

  private static String words(Random random, int count) {
    StringBuilder words = new StringBuilder(word(random));
    for (int i = 1; i < count; i++) {
      words.append(' ').append(word(random));
    }
    return words.toString();
  }

  private static String word(Random random) {
    return WORDS[random.nextInt(WORDS.length)];
  }

  private static String rfc822(int minutes) {
    return DateTimeFormatter.RFC_1123_DATE_TIME.format(
        START.plusSeconds(60L * minutes).atOffset(ZoneOffset.UTC));
  }
}
