package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A known entry under another id, or with fewer elements, is no news. */
class SameEntriesTest {
  private static final String DATE = "<pubDate>Tue, 03 Jun 2003 09:39:2%s GMT</pubDate>";

  private final DiffParser parser = new DiffParser();
  private final Memory memory = new Memory();

  private FeedDiff parse(String document) throws FeedParseException {
    FeedDiff found =
        parser.parse(
            document.getBytes(StandardCharsets.UTF_8), Served.at(Corpus.BASE, null), memory);
    memory.take(found.diff());
    return found;
  }

  /** Three entries, one a second, with these prefixes of their ids and titles. */
  private static String feed(String id, String title) {
    StringBuilder items = new StringBuilder();
    for (int i = 3; i > 0; i--) {
      items
          .append("<item><guid>%s%d</guid><title>%s %d</title>".formatted(id, i, title, i))
          .append("<link>%s%d</link>%s</item>".formatted(id, i, DATE.formatted(i)));
    }
    return Fixtures.channel(items.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "http://a.example/, https://a.example/",
    "https://a.example/, http://a.example/",
    "http://www.a.example/, https://a.example/",
    "http://a.example/, https://www.a.example/",
    "http://old.example/, https://www.new.example/"
  })
  void an_id_that_moved_with_its_site_is_no_new_entry(String before, String after)
      throws FeedParseException {
    memory.hosts = Set.of("old.example", "www.new.example");
    parse(feed(before, "Title"));

    FeedDiff found = parse(feed(after, "Title"));
    assertThat(found.diff().isEmpty()).isTrue();
    assertThat(found.diff().moved()).isEqualTo(3);
    assertThat(parse(feed(after, "Title")).diff().moved()).as("remembered").isZero();
    assertThat(parse(feed(after, "Other")).diff().changed()).as("edits").hasSize(3);
  }

  @ParameterizedTest
  @CsvSource({"http://a.example/, http://b.example/", "http://old.example/, http://b.example/"})
  void an_id_at_another_host_is_a_new_entry(String before, String after) throws FeedParseException {
    memory.hosts = Set.of("old.example", "new.example");
    parse(feed(before, "Title"));

    assertThat(parse(feed(after, "Title")).diff().fresh()).hasSize(3);
  }

  @Test
  void two_ids_of_one_document_that_differ_by_scheme_are_two_entries() throws FeedParseException {
    String one = "<item><guid>http://a.example/1</guid><title>a</title></item>";
    parse(Fixtures.channel(one));

    String both = one + one.replace("http:", "https:");
    assertThat(parse(Fixtures.channel(both)).diff().fresh()).hasSize(1);
  }

  @Test
  void an_entry_with_another_title_and_date_is_a_new_one_under_a_moved_id()
      throws FeedParseException {
    String item = "<item><guid>%s://a.example/1</guid><title>%s</title>%s</item>";
    memory.keepNewest(parse(Fixtures.channel(item.formatted("http", "a", DATE.formatted(1)))));

    assertThat(
            parse(Fixtures.channel(item.formatted("https", "b", DATE.formatted(2)))).diff().fresh())
        .hasSize(1);
  }

  @Test
  void a_feed_that_changes_all_its_ids_brings_the_entries_that_are_new_by_title_and_date()
      throws FeedParseException {
    memory.keepNewest(parse(feed("urn:old:", "Title")));
    String moved =
        feed("urn:cms:", "Title")
            .replaceFirst(
                "<item>",
                "<item><guid>urn:cms:4</guid><title>New</title>"
                    + DATE.formatted(4)
                    + "</item><item>");

    FeedDiff found = parse(moved);
    assertThat(found.diff().fresh()).extracting(Entry::title).containsExactly("New");
    assertThat(found.diff().moved()).isEqualTo(3);
    assertThat(parse(moved).diff().isEmpty()).isTrue();
  }

  @Test
  void entries_of_the_same_title_at_other_dates_are_new() throws FeedParseException {
    memory.keepNewest(parse(feed("urn:a:", "Weather")));

    String later = feed("urn:b:", "Weather").replace("2003", "2004");
    assertThat(parse(later).diff().fresh()).hasSize(3);
  }

  private static final String POLLED =
      Fixtures.channel(
          "<item><guid>1</guid><title>a</title><link>http://v.example/1</link>"
              + "<description>text</description><category>c</category></item>");
  private static final String PUSHED =
      Fixtures.channel(
          "<item><guid>1</guid><title>a</title><link>http://v.example/1</link></item>");

  private FeedDiff push(String document) throws FeedParseException {
    memory.pushed = true;
    FeedDiff found = parse(document);
    memory.pushed = false;
    return found;
  }

  @Test
  void a_push_with_fewer_elements_than_the_feed_is_no_update() throws FeedParseException {
    memory.keepNewest(parse(POLLED));

    assertThat(push(PUSHED).diff().isEmpty()).isTrue();
    assertThat(parse(POLLED).diff().isEmpty()).isTrue();
    assertThat(push(PUSHED.replace(">a<", ">b<")).diff().changed()).as("an edit").hasSize(1);
  }

  @Test
  void the_feed_with_more_elements_than_the_push_before_is_no_update() throws FeedParseException {
    memory.keepNewest(push(PUSHED));

    assertThat(parse(POLLED).diff().isEmpty()).isTrue();
    assertThat(push(PUSHED).diff().isEmpty()).isTrue();
    assertThat(parse(POLLED.replace("text", "more text")).diff().changed())
        .as("an edit after the feed was read")
        .hasSize(1);
  }

  @Test
  void an_edit_of_a_pushed_entry_is_an_update() throws FeedParseException {
    memory.keepNewest(push(PUSHED));

    assertThat(parse(POLLED.replace(">a<", ">b<")).diff().changed()).hasSize(1);
  }

  @Test
  void more_elements_between_two_documents_of_the_feed_are_an_update() throws FeedParseException {
    memory.keepNewest(parse(PUSHED));

    assertThat(parse(POLLED).diff().changed()).hasSize(1);
  }
}
