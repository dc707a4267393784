package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What the headers around a document say of it. */
class ServedTest {
  private static final String ITEM = "<item><link>page</link></item>";

  private static final List<String> DOCUMENTS =
      List.of(
          Fixtures.channel(ITEM),
          "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='page'/></entry></feed>",
          "{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"url\":\"page\"}]}");

  private static Feed parse(String document, Served served) throws FeedParseException {
    return new FeedParser().parse(document.getBytes(StandardCharsets.UTF_8), served);
  }

  private static Served served(String language, String location) {
    return new Served(Fixtures.BASE, "text/xml", language, location);
  }

  private static String page(String document, String location) throws FeedParseException {
    String page = parse(document, served("", location)).entries().get(0).permalink();
    assertThat(page).isNotNull();
    return page;
  }

  @Nested
  class ContentLocation {
    @Test
    void is_what_relative_URLs_are_relative_to() throws FeedParseException {
      for (String document : DOCUMENTS) {
        assertThat(page(document, "https://other.example/a/"))
            .isEqualTo("https://other.example/a/page");
      }
    }

    @Test
    void is_relative_to_the_URL_itself() throws FeedParseException {
      assertThat(page(DOCUMENTS.get(0), "/b/feed")).isEqualTo("https://harbour.example/b/page");
    }

    @Test
    void that_is_no_URL_is_passed_over() throws FeedParseException {
      assertThat(page(DOCUMENTS.get(0), "mailto:x"))
          .isEqualTo("https://harbour.example/feeds/page");
    }

    @Test
    void goes_behind_xml_base() throws FeedParseException {
      String based = DOCUMENTS.get(1).replace("<entry", "<entry xml:base='https://base.example/'");
      assertThat(page(based, "https://other.example/")).isEqualTo("https://base.example/page");
    }

    @Test
    void is_not_the_feeds_id() throws FeedParseException {
      for (String document : DOCUMENTS) {
        assertThat(parse(document, served("", "https://other.example/a/")).id())
            .isEqualTo(Fixtures.BASE.toString());
      }
    }
  }

  @Nested
  class ContentLanguage {
    @Test
    void is_the_language_of_a_document_that_names_none() throws FeedParseException {
      for (String document : DOCUMENTS) {
        Feed feed = parse(document, served("fr-CA", ""));
        assertThat(feed.language()).isEqualTo("fr-CA");
        assertThat(feed.entries().get(0).language()).isEqualTo("fr-CA");
      }
    }

    @Test
    void goes_behind_the_documents_own() throws FeedParseException {
      String english = Fixtures.channel("<language>en</language>" + ITEM);
      assertThat(parse(english, served("fr", "")).language()).isEqualTo("en");
    }

    @Test
    void of_several_readerships_is_no_entrys_language() throws FeedParseException {
      assertThat(parse(DOCUMENTS.get(0), served("de, en", "")).language()).isNull();
    }
  }

  @Test
  void without_a_URL_relative_ones_stay_relative_and_there_is_no_id() throws FeedParseException {
    for (String document : DOCUMENTS) {
      Feed feed = parse(document, Served.at(URI.create(""), null));
      assertThat(feed.id()).isNull();
      assertThat(feed.entries().get(0).permalink()).isEqualTo("page");
    }
  }
}
