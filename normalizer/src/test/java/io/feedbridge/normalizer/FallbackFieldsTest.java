package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A field that is missing, or in an odd form, is read from the next best place. */
class FallbackFieldsTest {
  private static final Status STATUS = Status.of("https://harbour.example/feeds/rss.xml");

  private static String json(Feed feed) {
    return new String(SuperfeedrJson.write(feed, STATUS), StandardCharsets.UTF_8);
  }

  private static String rss(String elements) throws FeedParseException {
    String prefixes =
        "<rss xmlns:atom='http://www.w3.org/2005/Atom' "
            + "xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0' ";
    return json(Fixtures.parse(Fixtures.item(elements).replace("<rss ", prefixes)));
  }

  private static Feed atom(String elements) throws FeedParseException {
    return Fixtures.parse("<feed xmlns='http://www.w3.org/2005/Atom'>" + elements + "</feed>");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<guid>http://e.example/1</guid><enclosure url='http://e.example/a.mp3'/>"
            + "| http://e.example/1",
        "<atom:link rel='alternate' href='http://e.example/1'/>"
            + "<atom:link rel='alternate' href='http://e.example/2'/> | http://e.example/1",
        "<feedburner:origLink>http://e.example/1</feedburner:origLink>"
            + "<enclosure url='http://e.example/a.mp3'/> | http://e.example/1",
        "<link>http://e.example/1</link>"
            + "<feedburner:origLink>http://e.example/2</feedburner:origLink>"
            + "| http://e.example/1",
        "<guid isPermaLink='false'>http://e.example/1</guid>"
            + "<enclosure url='http://e.example/a.mp3'/> | http://e.example/a.mp3"
      })
  void the_page_of_an_entry_without_a_link_is_its_permalink_its_original_or_its_enclosure(
      String elements, String page) throws FeedParseException {
    assertThat(rss(elements)).contains("\"permalinkUrl\":\"" + page + "\"");
  }

  @Test
  void a_page_that_no_link_names_changes_no_id_and_no_fingerprint() throws FeedParseException {
    Entry entry =
        Fixtures.entry("<title>a</title><enclosure url='http://e.example/a.mp3' length='1'/>");
    assertThat(entry.permalink()).isNull();
    assertThat(entry.links()).extracting(Link::rel).containsExactly(Link.ENCLOSURE);
  }

  @Test
  void an_entry_with_a_description_alone_has_it_as_its_summary() throws FeedParseException {
    assertThat(Fixtures.entry("<description>D</description>").summary())
        .isEqualTo(Content.html("D"));
    assertThat(atom("<entry><id>1</id><description>D &lt;b&gt;</description></entry>").entries())
        .first()
        .extracting(Entry::summary)
        .isEqualTo(Content.html("D <b>"));
    assertThat(
            atom("<entry><id>1</id><summary>S</summary><description>D</description></entry>")
                .entries())
        .first()
        .extracting(Entry::summary)
        .isEqualTo(Content.text("S"));
  }

  @Test
  void an_entry_without_a_title_has_the_title_of_a_module_or_none() throws FeedParseException {
    assertThat(Fixtures.entry("<dc:title>T</dc:title>").title()).isEqualTo("T");
    assertThat(Fixtures.entry("<itunes:title>T</itunes:title>").title()).isEqualTo("T");
    assertThat(Fixtures.entry("<description>D</description>").title()).isNull();
  }

  @Test
  void of_several_texts_of_a_channels_link_the_last_is_its_page() throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            Fixtures.channel("<link>http://a.example</link><link>http://b.example</link><link/>"));
    assertThat(feed.permalink()).isEqualTo("http://b.example");
    assertThat(feed.links()).extracting(Link::rel).containsExactly("alternate", "related");
  }

  @ParameterizedTest
  @CsvSource({
    "entry/1, http://b.example/x/entry/1",
    "/entry/1, http://b.example/entry/1",
    "entry-1, entry-1",
    "tag:b.example:1/2, tag:b.example:1/2"
  })
  void a_relative_id_of_Atom_is_resolved_where_the_document_gives_a_base(String id, String read)
      throws FeedParseException {
    String entry = "<entry xml:base='http://b.example/x/'><id>" + id + "</id></entry>";
    assertThat(atom(entry).entries().get(0).id()).isEqualTo(read);
    // The address of the document may change, and ids may not
    assertThat(atom("<entry><id>" + id + "</id></entry>").entries().get(0).id()).isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'authors':[{'name':'A'}]",
        "'authors':['A']",
        "'authors':'A'",
        "'authors':{'name':'A'}",
        "'authors':[['A']]",
        "'authors':[[{'name':'A'}]]",
        "'authors':[],'author':{'name':'A'}",
        "'authors':null,'author':{'name':'A'}",
        "'authors':[{}],'author':{'name':'A'}",
        "'authors':[null,{'name':'A'}]",
        "'author':{'name':'A'}",
        "'author':[{'name':'A'}]",
        "'author':'A'"
      })
  void authors_of_a_JSON_Feed_are_read_in_every_shape(String authors) throws FeedParseException {
    String feed = "{'version':'https://jsonfeed.org/version/1.1','items':[{'id':'1',%s}],%s}";
    Feed read = Fixtures.parse(feed.formatted(authors, authors).replace('\'', '"'));
    assertThat(read.authors()).extracting(Author::name).containsExactly("A");
    assertThat(read.entries().get(0).authors()).extracting(Author::name).containsExactly("A");
  }
}
