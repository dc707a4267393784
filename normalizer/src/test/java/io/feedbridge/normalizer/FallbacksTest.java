package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The value that is read where the usual element of it is missing. */
class FallbacksTest {
  private static Entry atom(String elements) throws FeedParseException {
    return Fixtures.parse(
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://b.example/x/'><entry>"
                + elements
                + "</entry></feed>")
        .entries()
        .get(0);
  }

  @Test
  void an_item_with_a_description_alone_has_it_as_its_summary_and_no_title()
      throws FeedParseException {
    Entry entry = Fixtures.entry("<description>Only &lt;b&gt;this&lt;/b&gt;</description>");
    assertThat(entry.title()).isNull();
    assertThat(entry.summary()).isEqualTo(Content.html("Only <b>this</b>"));
    assertThat(entry.id()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<guid>http://a.example/1</guid> | http://a.example/1",
        "<guid isPermaLink='true'>http://a.example/1</guid> | http://a.example/1",
        "<guid isPermaLink='false'>http://a.example/1</guid> | null",
        "<link>http://a.example/1</link><guid>http://a.example/2</guid> | http://a.example/1",
        "<link>http://a.example/1</link><link>http://a.example/2</link> | http://a.example/1",
        "<link/><link>http://a.example/2</link> | http://a.example/2"
      })
  void an_item_without_a_link_has_its_permalink_as_its_page(String elements, String page)
      throws FeedParseException {
    assertThat(String.valueOf(Fixtures.entry(elements).permalink())).isEqualTo(page);
  }

  @Test
  void the_first_alternate_link_of_an_entry_is_its_page() throws FeedParseException {
    assertThat(atom("<link rel='self' href='s'/><link href='1'/><link href='2'/>").permalink())
        .isEqualTo("http://b.example/x/1");
  }

  @Test
  void an_original_link_of_FeedBurner_is_the_canonical_one() throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            "<rss version='2.0' xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0'>"
                + "<channel><item><feedburner:origLink>http://a.example/1</feedburner:origLink>"
                + "</item></channel></rss>");
    assertThat(feed.entries().get(0).links())
        .anyMatch(
            link -> link.rel().equals("canonical") && link.href().equals("http://a.example/1"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"authors\":[{\"name\":\"Mia\"}]",
        "\"authors\":{\"name\":\"Mia\"}",
        "\"authors\":[\"Mia\"]",
        "\"authors\":\"Mia\"",
        "\"author\":{\"name\":\"Mia\"}",
        "\"author\":\"Mia\"",
        "\"author\":[{\"name\":\"Mia\"}]",
        "\"authors\":[],\"author\":{\"name\":\"Mia\"}"
      })
  void authors_of_a_JSON_Feed_are_read_in_each_shape(String authors) throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"t\",\"items\":"
                + "[{\"id\":\"1\",\"content_text\":\"x\","
                + authors
                + "}]}");
    assertThat(feed.entries().get(0).authors()).extracting(Author::name).containsExactly("Mia");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<![CDATA[safe<script>x</script> <b>description</b>]]> | safe description",
        "<![CDATA[safe <object data='x'>y</object> description<br>]]> | safe y description",
        "<![CDATA[safe <script src='x'/> <b>description</b>]]> | safe  description"
      })
  void text_behind_an_element_that_is_dropped_is_kept(String written, String read)
      throws FeedParseException {
    assertThat(Fixtures.entry("<title>" + written + "</title>").title()).isEqualTo(read);
  }
}
