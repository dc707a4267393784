package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage to the root of a document, before it and behind it. */
class BrokenRootsTest {
  private static final String ITEMS =
      "<channel><title>t</title><item><title>A</title></item><item><title>B</title></item></channel>";
  private static final String ENTRIES =
      "<title>t</title><entry><title>A</title></entry><entry><title>B</title></entry>";

  private static List<String> titles(String document) throws FeedParseException {
    return Fixtures.parse(document).entries().stream().map(Entry::title).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<rs version='2.0'>",
        "<ss>",
        "rss version='2.0'>",
        "<r\uFFFDs version='2.0'>",
        "<rss version='2.0'",
        "<rss vers",
        "<<rss version='2.0'>",
        "<srs\0 version='2.0'>",
        ""
      })
  void a_damaged_root_of_RSS_costs_no_entry(String root) throws FeedParseException {
    assertThat(titles(root + ITEMS + "</rss>")).containsExactly("A", "B");
    // The head of the feed may be missing too
    assertThat(titles(root + ITEMS.substring(ITEMS.indexOf("<item>")) + "</rss>"))
        .containsExactly("A", "B");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<fee xmlns='http://www.w3.org/2005/Atom'>",
        "feed xmlns='http://www.w3.org/2005/Atom'>",
        "<f\uFFFDed xmlns='http://www.w3.org/2005/Atom'>",
        "<feed xmlns='http://www.w3.org/2005/Atom'",
        "<efed>",
        ""
      })
  void a_damaged_root_of_Atom_costs_no_entry(String root) throws FeedParseException {
    assertThat(titles(root + ENTRIES + "</feed>")).containsExactly("A", "B");
    assertThat(titles(root + "<entry><title>A</title></entry></feed>")).containsExactly("A");
  }

  @Test
  void a_damaged_prefix_of_a_root_costs_no_entry_and_the_document_is_not_cut_off()
      throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            "<r\uFFFDf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
                + " xmlns='http://purl.org/rss/1.0/'><channel rdf:about='http://c.example/'/>"
                + "<item rdf:about='http://c.example/1'><title>A</title></item></rdf:RDF>");
    assertThat(feed.entries()).extracting(Entry::id).containsExactly("http://c.example/1");
    assertThat(feed.repairs()).doesNotContain(CutOff.BEHIND_ENTRY, CutOff.IN_ENTRY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\0", "\0\0", "\0\0\0\0\0", "\u0001\b", "\0\uFEFF", "\r\n\0\r\n", "\u001b[0m"})
  void control_characters_before_a_document_cost_neither_its_entries_nor_its_entities(String before)
      throws FeedParseException {
    Feed feed =
        Fixtures.parse(
            before
                + "<?xml version='1.0'?><!DOCTYPE rss [<!ENTITY who 'Mia'>]><rss version='2.0'>"
                + "<channel><item><title>By &who;</title></item></channel></rss>");
    assertThat(feed.entries()).extracting(Entry::title).containsExactly("By Mia");
    assertThat(feed.repairs()).isNotEmpty();
  }

  @Test
  void a_document_in_UTF_16_without_a_mark_is_still_known() throws FeedParseException {
    String document = Fixtures.channel("<item><title>A</title></item>");
    for (var charset : List.of(StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE)) {
      assertThat(Fixtures.parse(document.getBytes(charset), null).entries()).hasSize(1);
    }
  }

  @Test
  void entries_behind_the_end_of_the_root_are_entries_of_the_feed() throws FeedParseException {
    String item = "<item><title>C</title></item>";
    assertThat(titles("<rss version='2.0'>" + ITEMS + "</rss>\n" + item))
        .containsExactly("A", "B", "C");
    assertThat(titles("<rss version='2.0'>" + ITEMS + "</rss>" + item + "</channel></rss>"))
        .containsExactly("A", "B", "C");
    assertThat(
            titles(
                "<feed xmlns='http://www.w3.org/2005/Atom'>"
                    + ENTRIES
                    + "</feed><entry><title>C</title></entry></feed>"))
        .containsExactly("A", "B", "C");
  }

  @ParameterizedTest
  @ValueSource(strings = {"<guid>1</guid>", "<link>http://a.example/1</link>", ""})
  void a_second_copy_of_the_last_item_is_no_news(String identity) throws FeedParseException {
    String item =
        "<item>"
            + identity
            + "<title>A</title><pubDate>Tue, 10 Mar 2026 07:00:00 GMT</pubDate></item>";
    EntryDiff.Diff once = EntryDiff.of(Fixtures.parse(Fixtures.channel(item)), id -> null);
    Map<String, SeenEntry> seen = Map.of(once.toRemember().get(0).id(), once.toRemember().get(0));
    assertThat(EntryDiff.of(Fixtures.parse(Fixtures.channel(item + item)), seen::get).isEmpty())
        .isTrue();
    Feed behind = Fixtures.parse(Fixtures.channel(item) + item + "</channel></rss>");
    assertThat(EntryDiff.of(behind, seen::get).isEmpty()).isTrue();
  }

  @Test
  void entries_that_share_a_link_and_have_titles_of_their_own_are_told_apart()
      throws FeedParseException {
    String link = "<link>http://a.example/1</link>";
    Feed feed =
        Fixtures.parse(
            Fixtures.channel(
                "<item>"
                    + link
                    + "<title>A</title></item><item>"
                    + link
                    + "<title>B</title></item>"));
    assertThat(feed.entries()).extracting(Entry::id).doesNotHaveDuplicates();
  }
}
