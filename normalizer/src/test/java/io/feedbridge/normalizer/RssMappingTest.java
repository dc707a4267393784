package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RssMappingTest {
  private final Feed feed = Fixtures.feed("rss2.xml");
  private final Entry first = feed.entries().get(0);
  private final Entry second = feed.entries().get(1);

  @Nested
  class FeedLevel {
    @Test
    void id_is_the_self_link_and_else_the_topic() throws FeedParseException {
      assertThat(feed.id()).isEqualTo("https://harbour.example/rss.xml");
      assertThat(Fixtures.parse(Fixtures.channel("")).id()).isEqualTo(Fixtures.BASE.toString());
    }

    @Test
    void title_subtitle_language_and_categories_are_the_channels() {
      assertThat(feed.title()).isEqualTo("Harbour notes");
      assertThat(feed.subtitle()).isEqualTo("What the tide brought in");
      assertThat(feed.language()).isEqualTo("en-gb");
      assertThat(feed.categories()).containsExactly("Sea");
    }

    @Test
    void updated_is_lastBuildDate_before_pubDate_before_dc_date() throws FeedParseException {
      assertThat(feed.updated()).isEqualTo(Instant.parse("2026-03-10T08:00:00Z"));
      assertThat(
              Fixtures.parse(Fixtures.channel("<pubDate>9 Mar 2026 08:00 GMT</pubDate>")).updated())
          .isEqualTo(Instant.parse("2026-03-09T08:00:00Z"));
      assertThat(Fixtures.feed("rss1.xml").updated())
          .isEqualTo(Instant.parse("2026-02-01T09:00:00Z"));
    }

    @Test
    void author_is_the_managing_editor_split_into_mail_and_name() {
      assertThat(feed.authors())
          .containsExactly(Author.of("Mia Keel", "mia@harbour.example", null));
    }

    @Test
    void of_several_links_and_dates_the_first_counts() throws FeedParseException {
      // RSS 2.0 and RFC 4287 allow one; that the last one counts is one parser's taste
      Feed several =
          Fixtures.parse(
              Fixtures.channel(
                  "<link>http://one.example/</link><link href='http://two.example/'/>"
                      + "<pubDate>1 Jan 2026</pubDate><pubDate>2 Jan 2026</pubDate>"));
      assertThat(several.permalink()).isEqualTo("http://one.example/");
      assertThat(several.updated()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
    }

    @Test
    void a_language_is_written_with_hyphens_or_is_none() throws FeedParseException {
      assertThat(Fixtures.parse(Fixtures.channel("<language>en_US</language>")).language())
          .isEqualTo("en-US");
      assertThat(Fixtures.parse(Fixtures.channel("<language>en, de</language>")).language())
          .isNull();
    }

    @Test
    void links_are_the_site_the_atom_links_and_the_image() {
      assertThat(feed.permalink()).isEqualTo("https://harbour.example/");
      assertThat(feed.links())
          .extracting(Link::rel)
          .containsExactly("alternate", "self", "hub", "picture");
    }
  }

  @Nested
  class EntryLevel {
    @Test
    void id_is_the_guid() {
      assertThat(first.id()).isEqualTo("harbour-1");
      assertThat(first.generatedId()).isFalse();
    }

    @Test
    void title_has_its_entities_resolved_once_as_XML_and_once_as_HTML() throws FeedParseException {
      assertThat(first.title()).isEqualTo("Fish & chips");
      assertThat(Fixtures.entry("<title>A &amp;amp; B</title>").title()).isEqualTo("A & B");
    }

    @Test
    void published_is_pubDate_else_dc_date_and_updated_is_dcterms_modified() {
      assertThat(first.published()).isEqualTo(Instant.parse("2026-03-10T06:30:00Z"));
      assertThat(first.updated()).isEqualTo(Instant.parse("2026-03-10T09:00:00Z"));
      assertThat(second.published()).isEqualTo(Instant.parse("2026-03-09T06:00:00Z"));
    }

    @Test
    void content_is_content_encoded_and_summary_is_the_description() {
      assertThat(first.content()).isEqualTo(Content.html("<p>Long <b>story</b></p>"));
      assertThat(first.summary()).isEqualTo(Content.html("<p>Short</p>"));
      assertThat(second.content()).isNull();
    }

    @Test
    void content_may_be_an_xhtml_body() throws FeedParseException {
      Entry entry = Fixtures.entry("<xhtml:body><xhtml:p>Hi<xhtml:br/></xhtml:p></xhtml:body>");
      assertThat(entry.content()).isEqualTo(new Content("xhtml", "<p>Hi<br /></p>", null));
    }

    @Test
    void summary_may_be_of_itunes_or_media() throws FeedParseException {
      assertThat(Fixtures.entry("<itunes:summary>S</itunes:summary>").summary())
          .isEqualTo(Content.text("S"));
      assertThat(Fixtures.entry("<summary>S</summary>").summary()).isEqualTo(Content.html("S"));
      assertThat(
              Fixtures.entry(
                      "<media:group><media:description type='html'>D</media:description>"
                          + "</media:group>")
                  .summary())
          .isEqualTo(Content.html("D"));
    }

    @Test
    void links_have_replies_enclosures_with_length_and_pictures() {
      assertThat(first.links())
          .containsExactly(
              Link.of("alternate", "https://harbour.example/fish", "text/html"),
              Link.of("replies", "https://harbour.example/fish#comments", "text/html"),
              new Link("enclosure", "https://harbour.example/fish.mp3", "audio/mpeg", null, 1234L),
              Link.of(
                  "replies", "https://harbour.example/fish/comments.xml", "application/rss+xml"),
              new Link("enclosure", "https://harbour.example/fish.mp4", "video/mp4", null, 99L),
              Link.of("picture", "https://harbour.example/fish.jpg", null));
    }

    @Test
    void relative_links_are_relative_to_the_xml_base_they_stand_in() throws FeedParseException {
      Entry entry =
          Fixtures.entry(
              "<link xml:base='https://base.example/a/'>one</link>"
                  + "<comments xml:base='/b/'>two</comments>");
      assertThat(entry.links())
          .extracting(Link::href)
          .containsExactly("https://base.example/a/one", "https://harbour.example/b/two");
    }

    @Test
    void a_permalink_guid_is_the_link_where_there_is_none() {
      assertThat(second.permalink()).isEqualTo("https://harbour.example/gulls");
    }

    @Test
    void a_guid_that_is_no_permalink_is_no_link() throws FeedParseException {
      assertThat(Fixtures.entry("<guid isPermaLink='false'>https://x.example/</guid>").permalink())
          .isNull();
    }

    @Test
    void categories_are_of_all_vocabularies() {
      assertThat(first.categories()).containsExactly("Food", "Harbour", "salt", "vinegar", "Snack");
    }

    @Test
    void authors_are_mail_and_name_or_all_creators_or_itunes() throws FeedParseException {
      assertThat(first.authors())
          .containsExactly(Author.of("Ole Bar", "ole@harbour.example", null));
      assertThat(second.authors()).containsExactly(Author.named("Ann"), Author.named("Ben"));
      assertThat(Fixtures.entry("<itunes:author>Ida</itunes:author>").authors())
          .containsExactly(Author.named("Ida"));
      assertThat(Fixtures.entry("<author>Jo &lt;jo@x.example&gt;</author>").authors())
          .containsExactly(Author.of("Jo", "jo@x.example", null));
    }

    @Test
    void geo_is_read_with_a_comma_with_a_space_and_from_gml() throws FeedParseException {
      assertThat(first.geo()).isEqualTo(new GeoPoint(54.32, 10.13));
      assertThat(
              Fixtures.entry(
                      "<georss:where><gml:Point><gml:pos>1.5 -2.5</gml:pos></gml:Point>"
                          + "</georss:where>")
                  .geo())
          .isEqualTo(new GeoPoint(1.5, -2.5));
    }

    @Test
    void a_place_of_another_reference_system_is_no_latitude_and_longitude()
        throws FeedParseException {
      String where =
          "<georss:where><gml:Point srsName='%s'><gml:pos>36.9 31.1</gml:pos></gml:Point>"
              + "</georss:where>";
      // Metres of a UTM zone, whatever another reader makes of them
      assertThat(Fixtures.entry(where.formatted("EPSG:26913")).geo()).isNull();
      assertThat(Fixtures.entry(where.formatted("urn:ogc:def:crs:EPSG::4326")).geo())
          .isEqualTo(new GeoPoint(36.9, 31.1));
      assertThat(Fixtures.entry(where.formatted("urn:ogc:def:crs:OGC:1.3:CRS84")).geo())
          .isEqualTo(new GeoPoint(31.1, 36.9));
    }

    @Test
    void a_place_that_is_none_is_left_out() throws FeedParseException {
      assertThat(Fixtures.entry("<georss:point>NaN 1</georss:point>").geo()).isNull();
      assertThat(Fixtures.entry("<georss:point>91 1</georss:point>").geo()).isNull();
      assertThat(Fixtures.entry("<georss:point>91</georss:point>").geo()).isNull();
    }

    @Test
    void verbs_are_read_without_the_trailing_slash_of_the_namespace() throws FeedParseException {
      assertThat(Fixtures.entry("<as:verb>post</as:verb>").verbs()).containsExactly("post");
    }

    @Test
    void a_name_where_RSS_wants_a_mail_address_goes_behind_the_creator() throws FeedParseException {
      String creator = "<dc:creator>Ann Keel</dc:creator>";
      assertThat(Fixtures.entry("<author>Ann</author>" + creator).authors())
          .containsExactly(Author.named("Ann Keel"));
      assertThat(Fixtures.entry("<author>ann@x.example</author>" + creator).authors())
          .containsExactly(Author.of(null, "ann@x.example", null));
      assertThat(
              Fixtures.entry("<author>Ann</author><itunes:author>Show</itunes:author>").authors())
          .containsExactly(Author.named("Ann"));
    }

    @Test
    void tags_and_fullitem_are_read_although_no_module_has_them() throws FeedParseException {
      Entry entry = Fixtures.entry("<tags>a, b</tags><fullitem>&lt;p&gt;x</fullitem>");
      assertThat(entry.categories()).containsExactly("a", "b");
      assertThat(entry.content()).isEqualTo(Content.html("<p>x"));
    }

    @Test
    void source_is_the_url_and_its_text() {
      assertThat(first.source())
          .isNotNull()
          .satisfies(
              source -> {
                assertThat(source.id()).isEqualTo("https://coast.example/rss.xml");
                assertThat(source.title()).isEqualTo("Coast wire");
              });
    }

    @Test
    void language_is_its_own_else_the_feeds() throws FeedParseException {
      assertThat(first.language()).isEqualTo("en-gb");
      assertThat(Fixtures.entry("<dc:language>pt</dc:language>").language()).isEqualTo("pt");
      assertThat(Fixtures.entry("<description xml:lang='fr'>x</description>").language())
          .isEqualTo("fr");
    }
  }

  @Nested
  class Versions {
    @Test
    void RSS_1_0_takes_ids_from_rdf_about_and_items_from_beside_the_channel() {
      Feed rdf = Fixtures.feed("rss1.xml");
      Entry entry = rdf.entries().get(0);
      assertThat(rdf.title()).isEqualTo("Triples daily");
      assertThat(rdf.language()).isEqualTo("fr");
      assertThat(rdf.authors()).containsExactly(Author.named("Rose"));
      assertThat(rdf.links())
          .contains(new Link("picture", "https://rdf.example/i.png", null, "I", null));
      assertThat(entry.id()).isEqualTo("urn:rdf:1");
      assertThat(entry.content()).isEqualTo(Content.html("<i>First</i> of all"));
      assertThat(entry.categories()).containsExactly("Logic");
      assertThat(entry.authors()).containsExactly(Author.named("Paul"));
      assertThat(entry.geo()).isEqualTo(new GeoPoint(48.85, 2.35));
    }

    @Test
    void RSS_0_9x_and_unknown_versions_are_read_as_RSS() throws FeedParseException {
      for (String version : List.of("0.91", "0.92", "0.93", "0.94", "2.0.1", "9.9", "")) {
        Feed old =
            Fixtures.parse(
                "<rss version='"
                    + version
                    + "'><channel><item><title>x</title></item></channel></rss>");
        assertThat(old.entries()).extracting(Entry::title).as(version).containsExactly("x");
      }
    }

    @Test
    void RSS_0_90_has_its_own_namespace() throws FeedParseException {
      Feed old =
          Fixtures.parse(
              "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
                  + " xmlns='http://my.netscape.com/rdf/simple/0.9/'><channel><title>N</title>"
                  + "</channel><item><title>x</title><link>http://x.example/</link></item></rdf:RDF>");
      assertThat(old.title()).isEqualTo("N");
      assertThat(old.entries()).extracting(Entry::permalink).containsExactly("http://x.example/");
    }

    @Test
    void RSS_1_0_without_anything_is_an_empty_feed() throws FeedParseException {
      Feed empty =
          Fixtures.parse(
              "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
                  + " xmlns='http://purl.org/rss/1.0/'/>");
      assertThat(empty.entries()).isEmpty();
    }

    @Test
    void RSS_1_1_and_a_channel_alone_are_read_too() throws FeedParseException {
      Feed rss11 =
          Fixtures.parse(
              "<Channel xmlns='http://purl.org/net/rss1.1#' xmlns:rdf='"
                  + Vocabulary.RDF.namespace().getURI()
                  + "' rdf:about='http://x.example/'><title>T</title><link>http://x.example/</link>"
                  + "<items rdf:parseType='Collection'><item rdf:about='urn:1'><title>x</title>"
                  + "</item></items></Channel>");
      assertThat(rss11.title()).isEqualTo("T");
      assertThat(rss11.entries()).extracting(Entry::id).containsExactly("urn:1");
      Feed alone =
          Fixtures.parse("<channel><title>T</title><item><link>/x</link></item></channel>");
      assertThat(alone.entries())
          .extracting(Entry::permalink)
          .containsExactly("https://harbour.example/x");
    }

    @Test
    void RSS_in_an_odd_namespace_is_RSS() throws FeedParseException {
      Feed odd =
          Fixtures.parse(
              "<r:rss xmlns:r='http://odd.example/ns' r:version='2.0'><r:channel><r:item>"
                  + "<r:title>x</r:title></r:item></r:channel></r:rss>");
      assertThat(odd.entries()).extracting(Entry::title).containsExactly("x");
    }
  }
}
