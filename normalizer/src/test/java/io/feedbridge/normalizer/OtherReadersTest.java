package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Where other readers have another taste, and the specification is on our side. */
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
  void of_two_dates_where_one_is_allowed_the_first_counts() throws FeedParseException {
    // RFC 4287 §4.1.2: exactly one atom:updated
    assertThat(
            atom("<updated>2026-12-01T10:00:00Z</updated><updated>2003-12-31T10:00:00Z</updated>")
                .updated())
        .isEqualTo(Instant.parse("2026-12-01T10:00:00Z"));
  }

  @Test
  void a_link_without_an_address_is_no_link() throws FeedParseException {
    // RFC 4287 §4.2.7.1: atom:link must have an href
    assertThat(atom("<link title='Link Title'/>").links()).isEmpty();
    assertThat(atom("http://purl.org/atom/ns#", "<link title='Link Title'/>").links()).isEmpty();
  }

  @Test
  void the_date_of_a_change_is_not_that_of_publication() throws FeedParseException {
    // Atom 0.3 §4.13.8 and §4.13.9 have one element for each
    Entry entry = atom("http://purl.org/atom/ns#", "<modified>2004-01-01T19:48:21Z</modified>");
    assertThat(entry.updated()).isEqualTo(Instant.parse("2004-01-01T19:48:21Z"));
    assertThat(entry.published()).isNull();
  }

  @Test
  void a_summary_beside_a_description_is_not_the_content() throws FeedParseException {
    Entry entry = Fixtures.entry("<description>D</description><summary>S</summary>");
    assertThat(entry.summary()).isEqualTo(Content.html("D"));
    assertThat(entry.content()).isNull();
  }

  @Test
  void an_entity_that_a_DOCTYPE_declares_is_not_read() throws FeedParseException {
    // No DTD is ever read, also where it is harmless
    assertThat(
            Fixtures.parse(
                    "<!DOCTYPE rss [<!ENTITY id 'tag:x.example,'>]>"
                        + Fixtures.item("<guid isPermaLink='false'>&id;1</guid>"))
                .entries())
        .extracting(Entry::id)
        .containsExactly("&id;1");
  }
}
