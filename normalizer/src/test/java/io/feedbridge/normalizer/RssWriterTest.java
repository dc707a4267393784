package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jdom2.Element;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RssWriterTest {
  private static final PushOffer OFFER =
      new PushOffer(
          "https://gate.example/feed.rss?url=x",
          List.of("https://gate.example/hub"),
          List.of(new Hints.Cloud("gate.example", 5337, "/pleaseNotify", "", "http-post")),
          "https://gate.example/pleaseNotify");

  private static String rss(Feed feed, PushOffer offer) {
    return new String(RssWriter.write(feed, offer), StandardCharsets.UTF_8);
  }

  private static String item(Entry entry) {
    String rss = rss(Feed.bare("urn:f", "t").withEntries(List.of(entry)), PushOffer.NONE);
    return rss.substring(rss.indexOf("<item>") + 6, rss.indexOf("</item>"));
  }

  private static Element channel(Feed feed, PushOffer offer) throws FeedParseException {
    return new XmlDocument().parse(rss(feed, offer)).getRootElement().getChild("channel");
  }

  private static String item(String elements) throws FeedParseException {
    return item(Fixtures.entry("<guid isPermaLink='false'>1</guid>" + elements));
  }

  @Nested
  class Channel {
    @Test
    void title_link_and_description_are_always_there() throws FeedParseException {
      Element channel = channel(Feed.bare("urn:f", null), PushOffer.NONE);
      assertThat(channel.getChildText("title")).isEmpty();
      assertThat(channel.getChildText("link")).isEmpty();
      assertThat(channel.getChildText("description")).isEmpty();
    }

    @Test
    void has_the_core_elements_before_the_extensions_and_the_items_last()
        throws FeedParseException {
      assertThat(channel(Fixtures.feed("rss2.xml"), OFFER).getChildren())
          .extracting(Element::getName)
          .containsExactly(
              "title",
              "link",
              "description",
              "language",
              "managingEditor",
              "lastBuildDate",
              "category",
              "cloud",
              "cloud",
              "ttl",
              "skipHours",
              "skipDays",
              "updatePeriod",
              "updateFrequency",
              "updateBase",
              "image",
              "image",
              "author",
              "id",
              "link",
              "link",
              "item",
              "item",
              "item");
    }

    @Test
    void the_offer_takes_the_place_of_what_the_feed_offered_itself() {
      assertThat(rss(Fixtures.feed("rss2.xml"), OFFER))
          .contains(
              "<cloud domain=\"gate.example\" port=\"5337\" path=\"/pleaseNotify\""
                  + " registerProcedure=\"\" protocol=\"http-post\"/>"
                  + "<source:cloud>https://gate.example/pleaseNotify</source:cloud>",
              "xmlns:source=\"https://source.scripting.com/\"",
              "<atom:link type=\"application/rss+xml\""
                  + " href=\"https://gate.example/feed.rss?url=x\" rel=\"self\"/>"
                  + "<atom:link href=\"https://gate.example/hub\" rel=\"hub\"/>")
          .doesNotContain("hub.example/", "rpc.example", "\"https://harbour.example/rss.xml\"");
    }

    @Test
    void the_offer_of_the_feed_itself_can_be_kept() throws FeedParseException {
      Feed feed = Fixtures.feed("rss2.xml");
      Feed again = Fixtures.parse(rss(feed, PushOffer.of(feed)));
      assertThat(again.hints().hubs()).isEqualTo(feed.hints().hubs());
      assertThat(again.hints().self()).isEqualTo(feed.hints().self());
      assertThat(again.hints().clouds()).containsExactly(feed.hints().clouds().get(0));
    }

    @Test
    void the_hints_about_when_to_fetch_are_read_back_the_same() throws FeedParseException {
      Hints hints = Fixtures.feed("rss2.xml").hints();
      Hints again = Fixtures.parse(rss(Fixtures.feed("rss2.xml"), PushOffer.NONE)).hints();
      assertThat(again.ttl()).isEqualTo(hints.ttl());
      assertThat(again.skipHours()).isEqualTo(hints.skipHours());
      assertThat(again.skipDays()).isEqualTo(hints.skipDays());
      assertThat(again.updatePeriod()).isEqualTo(hints.updatePeriod());
      assertThat(again.updateBase()).isEqualTo(hints.updateBase());
    }
  }

  @Nested
  class Items {
    @Test
    void description_is_the_summary_and_content_encoded_the_content() throws FeedParseException {
      assertThat(
              item("<description>short</description><xhtml:body><xhtml:p>l</xhtml:p></xhtml:body>"))
          .contains(
              "<description>short</description>"
                  + "<content:encoded>&lt;p>l&lt;/p></content:encoded>");
    }

    @Test
    void plain_text_becomes_HTML() throws FeedParseException {
      assertThat(item("<itunes:summary>1 &lt; 2</itunes:summary>"))
          .contains("<description>1 &amp;lt; 2</description>");
    }

    @Test
    void an_item_without_title_and_content_has_a_description_all_the_same()
        throws FeedParseException {
      assertThat(item("")).contains("<description/>");
      assertThat(item("<title>t</title>")).doesNotContain("<description");
    }

    @Test
    void content_that_is_elsewhere_or_binary_is_written_as_Atom_has_it() throws FeedParseException {
      Entry binary = Fixtures.feed("atom.xml").entries().get(1);
      assertThat(item(binary))
          .contains("<atom:content type=\"application/octet-stream\">aGVsbG8=</atom:content>");
    }

    @Test
    void the_first_enclosure_is_RSS_s_own_and_the_others_are_media() throws FeedParseException {
      assertThat(
              item(
                  "<enclosure url='http://x.example/a.mp3' type='audio/mpeg'/>"
                      + "<enclosure url='http://x.example/b.mp3' type='audio/mpeg' length='7'/>"))
          .contains(
              "<enclosure url=\"http://x.example/a.mp3\" length=\"0\" type=\"audio/mpeg\"/>"
                  + "<media:content url=\"http://x.example/b.mp3\" type=\"audio/mpeg\""
                  + " fileSize=\"7\"/>");
    }

    @Test
    void one_author_with_a_mail_address_is_RSS_s_own_and_names_are_dublin_core_s()
        throws FeedParseException {
      assertThat(item("<author>a@x.example (Ann)</author>"))
          .contains("<author>a@x.example (Ann)</author>")
          .doesNotContain("dc:creator", "atom:author");
      assertThat(item("<dc:creator>Ann</dc:creator><dc:creator>Ben</dc:creator>"))
          .contains("<dc:creator>Ann</dc:creator><dc:creator>Ben</dc:creator>")
          .doesNotContain("<author>", "atom:author");
    }

    @Test
    void what_is_more_of_an_author_is_written_as_Atom_has_it() {
      assertThat(item(Fixtures.feed("atom.xml").entries().get(0)))
          .contains("<dc:creator>First</dc:creator><dc:creator>Second</dc:creator><atom:author>");
    }

    @Test
    void an_id_that_is_the_link_is_a_permalink() throws FeedParseException {
      assertThat(item(Fixtures.entry("<guid>https://x.example/1</guid>")))
          .contains("<guid isPermaLink=\"true\">https://x.example/1</guid>");
      assertThat(item("")).contains("<guid isPermaLink=\"false\">1</guid>");
    }

    @Test
    void every_item_has_a_date_that_readers_can_sort_by() throws FeedParseException {
      assertThat(
              item(
                  Fixtures.parse(
                          "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id>"
                              + "<updated>2026-03-01T00:00:00Z</updated></entry></feed>")
                      .entries()
                      .get(0)))
          .contains("<pubDate>Sun, 01 Mar 2026 00:00:00 GMT</pubDate>");
    }

    @Test
    void the_source_has_its_address_and_title_and_the_rest_as_Atom_has_it() {
      assertThat(item(Fixtures.feed("rss2.xml").entries().get(0)))
          .contains("<source url=\"https://coast.example/rss.xml\">Coast wire</source>")
          .doesNotContain("<atom:source");
      assertThat(item(Fixtures.feed("atom.xml").entries().get(0)))
          .doesNotContain("<source ")
          .contains("<atom:source xml:lang=\"nl\"><atom:id>tag:origin.example,2026:feed</atom:id>");
    }
  }
}
