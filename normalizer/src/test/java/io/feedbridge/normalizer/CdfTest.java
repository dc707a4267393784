package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The Channel Definition Format, from before RSS. */
class CdfTest {
  private static final String FEED =
      """
      <CHANNEL HREF="http://cdf.example/home.html" BASE="http://cdf.example/news/"
          LASTMOD="2026-04-06T23:05:43-05:00" SELF="http://cdf.example/news.cdf">
        <TITLE>Tides</TITLE>
        <ABSTRACT>High and low</ABSTRACT>
        <LOGO HREF="logo.gif" STYLE="ICON"/>
        <SCHEDULE><INTERVALTIME DAY="1"/></SCHEDULE>
        <ITEM HREF="one.html" LASTMOD="2026-04-06T22:00:00Z">
          <TITLE>One</TITLE>
          <ABSTRACT>High &amp; dry</ABSTRACT>
          <LOGO HREF="one.gif" STYLE="ICON"/>
        </ITEM>
        <CHANNEL BASE="/deep/">
          <TITLE>Deep</TITLE>
          <ITEM><A HREF="two.html">Two</A><TITLE>Two</TITLE></ITEM>
        </CHANNEL>
      </CHANNEL>
      """;

  private final Feed feed = parse();

  private static Feed parse() {
    try {
      return Fixtures.parse(FEED);
    } catch (FeedParseException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_channel_is_a_feed() {
    assertThat(feed.id()).isEqualTo("http://cdf.example/news.cdf");
    assertThat(feed.title()).isEqualTo("Tides");
    assertThat(feed.subtitle()).isEqualTo("High and low");
    assertThat(feed.updated()).isEqualTo(Instant.parse("2026-04-07T04:05:43Z"));
    assertThat(feed.permalink()).isEqualTo("http://cdf.example/home.html");
    assertThat(feed.links())
        .contains(Link.of(Link.PICTURE, "http://cdf.example/news/logo.gif", null));
    assertThat(feed.repairs()).isEmpty();
  }

  @Test
  void the_interval_of_a_schedule_is_the_update_period() throws FeedParseException {
    assertThat(feed.hints().updatePeriod()).isEqualTo(Duration.ofDays(1));
    assertThat(scheduled("<INTERVALTIME DAY='1' HOUR='2' MIN='30'/>"))
        .isEqualTo(Duration.ofMinutes(26 * 60 + 30));
    assertThat(scheduled("<INTERVALTIME HOUR='-3'/>")).isNull();
    assertThat(scheduled("<INTERVALTIME DAY='999999999'/>")).isNull();
    assertThat(scheduled("")).isNull();
  }

  private static @Nullable Duration scheduled(String interval) throws FeedParseException {
    String schedule = "<SCHEDULE>" + interval + "</SCHEDULE>";
    return Fixtures.parse(
            FEED.replaceAll("<SCHEDULE>.*</SCHEDULE>", Matcher.quoteReplacement(schedule)))
        .hints()
        .updatePeriod();
  }

  @Test
  void an_item_is_an_entry() {
    Entry one = feed.entries().get(0);
    assertThat(one.title()).isEqualTo("One");
    assertThat(one.summary()).isEqualTo(Content.text("High & dry"));
    assertThat(one.updated()).isEqualTo(Instant.parse("2026-04-06T22:00:00Z"));
    assertThat(one.permalink()).isEqualTo("http://cdf.example/news/one.html");
    assertThat(one.links())
        .contains(Link.of(Link.PICTURE, "http://cdf.example/news/one.gif", null));
    assertThat(one.generatedId()).isTrue();
  }

  @Test
  void items_of_channels_inside_are_the_outer_ones_too() {
    assertThat(feed.entries()).extracting(Entry::title).containsExactly("One", "Two");
    assertThat(feed.entries().get(1).permalink()).isEqualTo("http://cdf.example/deep/two.html");
  }

  @Test
  void in_small_letters_it_is_the_same() throws FeedParseException {
    Feed small =
        Fixtures.parse("<channel href='/x'><item href='/y'><title>T</title></item></channel>");
    assertThat(small.permalink()).isEqualTo("https://harbour.example/x");
    assertThat(small.entries().get(0).permalink()).isEqualTo("https://harbour.example/y");
  }
}
