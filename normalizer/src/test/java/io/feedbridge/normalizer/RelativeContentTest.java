package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** HTML with relative URLs, and what feeds hide their content in. */
class RelativeContentTest {
  private static final String ATOM =
      "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='https://b.example/x/'><entry>"
          + "<id>urn:1</id><content type='html' xml:base='y/'>&lt;img src='i.png'></content>"
          + "<summary type='html'>&lt;a href='https://c.example/'></summary></entry></feed>";

  private static String text(byte[] document) {
    return new String(document, StandardCharsets.UTF_8);
  }

  private static String atom(Feed feed) {
    return text(SuperfeedrAtom.write(feed, Status.of("urn:s"), Instant.EPOCH));
  }

  @Test
  void atom_carries_the_base_and_the_other_outputs_absolute_URLs() throws FeedParseException {
    Feed feed = Fixtures.parse(ATOM);
    assertThat(atom(feed))
        .contains("<content type=\"html\" xml:base=\"https://b.example/x/y/\">&lt;img src='i.png'")
        .contains("<summary type=\"html\">");
    for (byte[] document :
        new byte[][] {
          SuperfeedrJson.write(feed, Status.of("urn:s")),
          RssWriter.write(feed, PushOffer.NONE),
          JsonFeedWriter.write(feed, PushOffer.NONE)
        }) {
      assertThat(text(document)).contains("img src='https://b.example/x/y/i.png'");
    }
  }

  @Test
  void content_without_a_relative_URL_has_no_base() throws FeedParseException {
    assertThat(Objects.requireNonNull(Fixtures.parse(ATOM).entries().get(0).summary()).base())
        .isNull();
  }

  @Test
  void the_base_is_no_part_of_the_fingerprint() throws FeedParseException {
    Entry entry = Fixtures.parse(ATOM).entries().get(0);
    Entry moved = Fixtures.parse(ATOM.replace("b.example", "d.example")).entries().get(0);
    assertThat(moved).isNotEqualTo(entry);
    assertThat(Fingerprint.of(moved)).isEqualTo(Fingerprint.of(entry));
  }

  private static @Nullable String content(String elements) throws FeedParseException {
    Content content = Fixtures.entry(elements).content();
    return content == null ? null : content.absolute();
  }

  @Test
  void the_texts_of_RSS_and_of_JSON_Feed_are_relative_to_their_document()
      throws FeedParseException {
    Entry entry = Fixtures.entry("<description>&lt;img src='/i.png'></description>");
    assertThat(Objects.requireNonNull(entry.summary()).absolute())
        .isEqualTo("<img src='https://harbour.example/i.png'>");
    Entry json =
        Fixtures.parse(
                "{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"id\":\"urn:1\","
                    + "\"content_html\":\"<img src='i.png'>\"}]}")
            .entries()
            .get(0);
    assertThat(Objects.requireNonNull(json.content()).absolute())
        .isEqualTo("<img src='https://harbour.example/feeds/i.png'>");
  }

  @Test
  void a_body_that_forgot_its_namespace_is_the_content() throws FeedParseException {
    assertThat(content("<body><p>Hi <b>you</b></p></body>")).isEqualTo("<p>Hi <b>you</b></p>");
    assertThat(content("<body>&lt;p>Hi&lt;/p></body>")).isEqualTo("<p>Hi</p>");
    assertThat(content("<body/>")).isNull();
  }

  @Test
  void media_RSS_gives_a_title_where_there_is_no_other() throws FeedParseException {
    assertThat(Fixtures.entry("<media:title>A &amp;amp; B</media:title>").title())
        .isEqualTo("A & B");
    assertThat(Fixtures.entry("<media:group><media:title>C</media:title></media:group>").title())
        .isEqualTo("C");
    assertThat(Fixtures.entry("<media:title>no</media:title><title>yes</title>").title())
        .isEqualTo("yes");
  }

  @Test
  void a_title_of_an_unknown_type_is_text() throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title type='application/x-thing'>Example 1"
                + "</title><entry><id>urn:1</id><title type='application/x-other'>Some title!</title>"
                + "</entry></feed>");
    assertThat(feed.title()).isEqualTo("Example 1");
    assertThat(feed.entries().get(0).title()).isEqualTo("Some title!");
  }

  @Test
  void a_point_of_EPSG_4979_has_its_height_last() throws FeedParseException {
    assertThat(
            Fixtures.entry(
                    "<georss:where><gml:Point srsName='urn:ogc:def:crs:EPSG::4979'>"
                        + "<gml:pos>36.9 31.1 120</gml:pos></gml:Point></georss:where>")
                .geo())
        .isEqualTo(new GeoPoint(36.9, 31.1));
  }

  @Test
  void every_link_of_an_item_is_read_and_the_first_is_its_page() throws FeedParseException {
    Entry entry =
        Fixtures.entry(
            "<link>/a</link><link>/b</link><link rel='enclosure' href='/c' type='audio/ogg'/>"
                + "<link href='/d'/>");
    assertThat(entry.permalink()).isEqualTo("https://harbour.example/a");
    assertThat(entry.links())
        .extracting(link -> link.rel() + " " + link.href())
        .containsExactly(
            "alternate https://harbour.example/a",
            "related https://harbour.example/b",
            "enclosure https://harbour.example/c",
            "related https://harbour.example/d");
    assertThat(Fixtures.entry("<link href='/d'/>").permalink())
        .isEqualTo("https://harbour.example/d");
  }
}
