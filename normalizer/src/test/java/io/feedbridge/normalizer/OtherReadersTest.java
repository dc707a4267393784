package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/**
 * Other readers' tests expect something else of these documents. Each test names the specification
 * that is against the expectation, or says that none is for it.
 */
class OtherReadersTest {
  private static Entry atom(String namespace, String elements) throws FeedParseException {
    return Fixtures.parse("<feed xmlns='" + namespace + "'><entry>" + elements + "</entry></feed>")
        .entries()
        .get(0);
  }

  private static Entry atom(String elements) throws FeedParseException {
    return atom("http://www.w3.org/2005/Atom", elements);
  }

  @Test
  void of_two_dates_where_one_is_allowed_the_last_that_can_be_read_counts()
      throws FeedParseException {
    // RFC 4287 §4.1.2: exactly one atom:updated; other readers take the last of several
    String first = "<updated>2026-12-01T10:00:00Z</updated>";
    assertThat(atom(first + "<updated>2003-12-31T10:00:00Z</updated>").updated())
        .isEqualTo(Instant.parse("2003-12-31T10:00:00Z"));
    assertThat(atom(first + "<updated>soon</updated>").updated())
        .isEqualTo(Instant.parse("2026-12-01T10:00:00Z"));
  }

  @Test
  void a_link_without_an_address_is_no_link() throws FeedParseException {
    // RFC 4287 §4.2.7.1: atom:link must have an href; a relation to nothing leads nowhere
    assertThat(atom("<link title='Link Title'/>").links()).isEmpty();
    assertThat(atom("http://purl.org/atom/ns#", "<link title='Link Title'/>").links()).isEmpty();
  }

  @Test
  void of_several_links_of_an_item_the_first_is_its_page() throws FeedParseException {
    // Links are parts of fingerprints and of generated ids: another page would make every such item
    // new to its readers. No specification has the last of several.
    Entry entry = Fixtures.entry("<link>http://a.example/1</link><link>http://a.example/2</link>");
    assertThat(entry.permalink()).isEqualTo("http://a.example/1");
  }

  @Test
  void the_date_of_a_change_is_not_that_of_publication() throws FeedParseException {
    // Atom 0.3 §4.13.8 and §4.13.9 have an element each: a date of publication would be made up
    Entry entry = atom("http://purl.org/atom/ns#", "<modified>2004-01-01T19:48:21Z</modified>");
    assertThat(entry.updated()).isEqualTo(Instant.parse("2004-01-01T19:48:21Z"));
    assertThat(entry.published()).isNull();
  }

  @Test
  void a_summary_beside_a_description_is_not_the_content() throws FeedParseException {
    // RSS 2.0 has no summary, and its description is the synopsis of the item already. A text that
    // calls itself a summary is not the full text, which subscribers take the content for.
    Entry entry = Fixtures.entry("<description>D</description><summary>S</summary>");
    assertThat(entry.summary()).isEqualTo(Content.html("D"));
    assertThat(entry.content()).isNull();
  }

  @Test
  void of_several_links_of_a_channel_a_text_is_its_page() throws FeedParseException {
    // RSS 2.0 and 1.0 §5.3.2 have exactly one link, as text. A link with href is no element of RSS,
    // and is never the channel's page beside a text.
    Feed feed =
        Fixtures.parse(
            Fixtures.channel("<link>http://a.example</link><link href='http://b.example'/>"));
    assertThat(feed.permalink()).isEqualTo("http://a.example");
    assertThat(feed.links()).extracting(Link::rel).containsExactly("alternate", "related");
  }

  @Test
  void angle_brackets_are_those_of_HTML_5() throws FeedParseException {
    // HTML §13.5 names U+27E8 and U+27E9. HTML 4 had U+2329 and U+232A, which Unicode deprecates
    // and normalizes to brackets of Chinese. The document declares neither.
    assertThat(
            Fixtures.parse(Fixtures.channel("<description>&lang;&rang;</description>")).subtitle())
        .isEqualTo("\u27e8\u27e9");
  }

  @Test
  void a_point_of_a_projection_is_no_place() throws FeedParseException {
    // EPSG:26913 counts metres of a UTM zone, so these numbers are no latitude and longitude.
    // GeoRSS has WGS84 only where srsName is absent.
    assertThat(
            Fixtures.entry(
                    "<georss:where><gml:Point srsName='EPSG:26913'><gml:pos>36.9 31.1</gml:pos>"
                        + "</gml:Point></georss:where>")
                .geo())
        .isNull();
  }
}
