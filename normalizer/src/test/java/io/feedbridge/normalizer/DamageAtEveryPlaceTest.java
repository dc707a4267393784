package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One damage at each place where it can be: no entry is lost by it, and none goes untold. */
class DamageAtEveryPlaceTest {
  private static final String RSS =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
          xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">
      <channel>
        <title>Quay</title>
        <atom:link href="https://q.example/feed" rel="self"/>
        <link>https://q.example/</link>
        <description>Boats &amp; <![CDATA[ropes]]></description>
        <lastBuildDate>Tue, 10 Mar 2026 08:00:00 GMT</lastBuildDate>
        <pubDate>Tue, 10 Mar 2026 08:00:00 GMT</pubDate>
        <language>en</language>
        <copyright>Mia</copyright>
        <managingEditor>m@q.example (Mia)</managingEditor>
        <category>boats</category>
        <ttl>60</ttl>
        <image><url>https://q.example/i.png</url><title>I</title><link>https://q.example/</link></image>
        <textInput><title>S</title><description>d</description><name>q</name><link>https://q.example/s</link></textInput>
        <skipHours><hour>1</hour><hour>2</hour></skipHours>
        <cloud domain="q.example" port="80" path="/p" registerProcedure="" protocol="http-post"/>
        <dc:creator>Mia</dc:creator>
        <sy:updatePeriod>hourly</sy:updatePeriod>
        <itunes:author>Mia</itunes:author>
        <itunes:owner><itunes:name>Mia</itunes:name><itunes:email>m@q.example</itunes:email></itunes:owner>
        <itunes:category text="Arts"><itunes:category text="Design"/></itunes:category>
        <item><title>one</title><link>https://q.example/1</link><guid>https://q.example/1</guid><description>a</description></item>
        <item><title>two</title><link>https://q.example/2</link><guid>https://q.example/2</guid><description>b</description></item>
      </channel>
      </rss>
      """;

  private static final String ATOM =
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
        <title type="html">Quay</title>
        <subtitle>Boats</subtitle>
        <link rel="self" href="https://q.example/feed"/>
        <link href="https://q.example/"></link>
        <id>https://q.example/</id>
        <updated>2026-03-10T08:00:00Z</updated>
        <author><name>Mia</name><email>m@q.example</email><uri>https://q.example/mia</uri></author>
        <contributor><name>Ole</name></contributor>
        <category term="boats"/>
        <generator uri="https://g.example/">G</generator>
        <icon>https://q.example/i.png</icon>
        <logo>https://q.example/l.png</logo>
        <rights>Mia</rights>
        <entry><title>one</title><id>https://q.example/1</id><link href="https://q.example/1"/><updated>2026-03-10T08:00:00Z</updated></entry>
        <entry><title>two</title><id>https://q.example/2</id><link href="https://q.example/2"/><updated>2026-03-10T08:00:00Z</updated></entry>
      </feed>
      """;

  private static final String RDF =
      """
      <?xml version="1.0"?>
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
          xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="https://q.example/">
          <title>Quay</title>
          <link>https://q.example/</link>
          <description>Boats</description>
          <dc:date>2026-03-10T08:00:00Z</dc:date>
          <image rdf:resource="https://q.example/i.png"/>
          <items><rdf:Seq><rdf:li resource="https://q.example/1"/><rdf:li resource="https://q.example/2"/></rdf:Seq></items>
        </channel>
        <image rdf:about="https://q.example/i.png"><title>I</title><url>https://q.example/i.png</url><link>https://q.example/</link></image>
        <item rdf:about="https://q.example/1"><title>one</title><link>https://q.example/1</link></item>
        <item rdf:about="https://q.example/2"><title>two</title><link>https://q.example/2</link></item>
      </rdf:RDF>
      """;

  static List<String> feeds() {
    return List.of(RSS, ATOM, RDF);
  }

  /**
   * One damaged document.
   *
   * @param damage the damage and its place, for the message of a failure
   */
  private record Damaged(String damage, String document) {}

  /** The damages by which an entry is lost, or of which nothing is told. */
  private static List<String> lost(List<Damaged> damaged) {
    List<String> lost = new ArrayList<>();
    for (Damaged one : damaged) {
      String problem = problem(one.document.getBytes(StandardCharsets.UTF_8));
      if (!problem.isEmpty()) {
        lost.add(one.damage + ": " + problem);
      }
    }
    return lost;
  }

  private static String problem(byte[] document) {
    try {
      Feed feed = Fixtures.parse(document, null);
      List<String> ids = feed.entries().stream().map(Entry::id).toList();
      if (!ids.equals(List.of("https://q.example/1", "https://q.example/2"))) {
        return "has " + ids;
      }
      boolean wellFormed = isWellFormed(document);
      return feed.repairs().isEmpty() && !wellFormed ? "nothing is told" : "";
    } catch (FeedParseException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static boolean isWellFormed(byte[] document) {
    try {
      new XmlDocument().check(new String(document, StandardCharsets.UTF_8));
      return true;
    } catch (FeedParseException broken) {
      return false;
    }
  }

  private static String head(String feed) {
    Matcher entry = Pattern.compile("<(?:item|entry)[ >]").matcher(feed);
    return entry.find() ? feed.substring(0, entry.start()) : feed;
  }

  /** The feed with each of the tags of its head replaced in turn; {@code $1} is the tag's name. */
  private static List<Damaged> damaged(String feed, Pattern what, String replacement) {
    List<Damaged> damaged = new ArrayList<>();
    Matcher place = what.matcher(head(feed));
    while (place.find()) {
      String instead = replacement.replace("$1", place.group(1));
      String document = feed.substring(0, place.start()) + instead + feed.substring(place.end());
      damaged.add(new Damaged(instead + " for " + place.group(), document));
    }
    assertThat(damaged).extracting(Damaged::damage).hasSizeGreaterThan(3);
    return damaged;
  }

  @ParameterizedTest
  @MethodSource("feeds")
  void an_end_tag_of_the_head_that_is_missing_costs_no_entry(String feed) {
    assertThat(lost(damaged(feed, Pattern.compile("</([^>]*)>"), ""))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("feeds")
  void a_tag_of_the_head_that_is_misspelt_or_lacks_a_bracket_costs_no_entry(String feed) {
    Pattern end = Pattern.compile("</([\\w:]+)>");
    assertThat(lost(damaged(feed, end, "</$1x>"))).isEmpty();
    assertThat(lost(damaged(feed, end, "</$1"))).isEmpty();
    assertThat(lost(damaged(feed, end, "/$1>"))).isEmpty();
    assertThat(lost(damaged(feed, end, "<$1>"))).isEmpty();
    assertThat(lost(damaged(feed, end, "< /$1>"))).isEmpty();
    Pattern start = Pattern.compile("<([a-z]\\w*)>");
    assertThat(lost(damaged(feed, start, "<$1x>"))).isEmpty();
    assertThat(lost(damaged(feed, start, "<$1"))).isEmpty();
    assertThat(lost(damaged(feed, start, "$1>"))).isEmpty();
    assertThat(lost(damaged(feed, start, ""))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("feeds")
  void markup_that_is_no_markup_in_a_text_of_the_head_costs_no_entry(String feed) {
    Pattern end = Pattern.compile("(?<=\\w)</([\\w:]+)>");
    for (String odd :
        List.of(
            "<",
            "<<",
            "a<b",
            "&",
            "&#X41;",
            "&#0;",
            "&nbsp",
            "]]>",
            "<![CDATA[",
            "<!--",
            "-->",
            "<b>",
            "</b>",
            "<br>",
            "<p>x<p>y",
            "<?php echo 1 ?>",
            "<!DOCTYPE x>",
            "\u0000",
            "\u0008",
            "<a href=x?a=1&b=2>x</a>",
            "<x:y>",
            "<>",
            "</>",
            "<3",
            "\uFFFE",
            "\uFFFF",
            "&#xFFFE;",
            "&#65535;",
            "&#xD800;",
            "&#x110000;",
            "&#99999999999;",
            "&#x;")) {
      assertThat(lost(damaged(feed, end, odd + "</$1>"))).as(odd).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("feeds")
  void text_or_markup_before_the_document_costs_no_entry(String feed) {
    List<Damaged> documents = new ArrayList<>();
    for (String before :
        List.of(
            "<br />\n<b>Warning</b>: mysql_connect(): x in <b>/srv/a.php</b> on line <b>3</b><br />\n",
            "<br />\n<font size='1'><table class='xdebug-error' border='1'><tr><th>Notice</th></tr></table></font>\n",
            "PHP Warning:  Undefined array key \"rss\" in /srv/item.php on line 7\n",
            "<!-- a --><!-- <rss><channel> -->\n",
            "<!-- never closed\n",
            "<!DOCTYPE html>\n",
            "<!DOCTYPE html><html><head><title>x</title></head><body>Error</body></html>\n",
            "<html>\n<body>\n",
            "<script type='text/javascript'>if (a < b && c > d) { }</script>\n",
            "<style>a{}</style>",
            "\uFEFF\n\uFEFF",
            "\uFEFF<!-- x -->",
            "ï»¿",
            "\u0000\u0000",
            "\u0001\n",
            "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n",
            "1f40\r\n",
            "<?php header('Content-Type: text/xml'); ?>\n",
            "<?xml version='1.0'?>\n<?xml version='1.0'?>\n",
            "<pre>",
            "]]>",
            "</rss>",
            "-- \n",
            "> ")) {
      documents.add(new Damaged(before, before + feed));
    }
    assertThat(lost(documents)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("feeds")
  void text_or_markup_behind_the_document_costs_no_entry(String feed) {
    List<Damaged> documents = new ArrayList<>();
    for (String behind :
        List.of(
            "<!-- 0.1 s --><script>a</script>",
            "</rss>",
            "0\r\n\r\n",
            "\u0000",
            "<rss>",
            "&",
            "<",
            "]]>",
            "<!-- never closed",
            feed)) {
      documents.add(new Damaged(behind, feed + behind));
    }
    assertThat(lost(documents)).isEmpty();
  }

  @Test
  void without_a_mark_wide_characters_are_known_by_their_zero_bytes() {
    List<String> lost = new ArrayList<>();
    for (String charset : List.of("UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE")) {
      for (String before : List.of("", "\n", "  \r\n\t", "\uFEFF", "\n\uFEFF", "Warning: x\n")) {
        for (String label : List.of("", "utf-8", "utf-16", "iso-8859-1", charset)) {
          String declaration =
              label.isEmpty() ? "" : "<?xml version='1.0' encoding='" + label + "'?>";
          for (String feed : feeds()) {
            String document = before + declaration + feed.replaceFirst("^<\\?[^>]*>\\s*", "");
            String problem = problem(document.getBytes(Charset.forName(charset)));
            if (!problem.isEmpty() && !problem.equals("nothing is told")) {
              lost.add(
                  charset + " labelled " + label + " behind " + before.strip() + ": " + problem);
            }
          }
        }
      }
    }
    assertThat(lost).isEmpty();
  }

  @Test
  void zero_bytes_here_and_there_are_no_charset() {
    ByteArrayOutputStream padded = new ByteArrayOutputStream();
    byte[] feed = RSS.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < feed.length; i++) {
      padded.write(feed[i]);
      if (i % 50 == 7) {
        padded.write(0);
      }
    }
    assertThat(problem(padded.toByteArray())).isEmpty();
  }
}
