package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class NestedItemsTest {
  private static List<Entry> entries(String items) throws FeedParseException {
    return Fixtures.parse(
            "<rss version='2.0' xmlns:rssCloud='http://any.example/ns'><channel>"
                + items
                + "</channel></rss>")
        .entries();
  }

  private static List<String> up(Entry entry) {
    return entry.links().stream().filter(l -> l.rel().equals("up")).map(Link::href).toList();
  }

  @Test
  void become_entries_of_their_own_in_document_order() throws FeedParseException {
    List<Entry> entries =
        entries(
            "<item><guid>1</guid><title>a</title>"
                + "<rssCloud:item><guid>2</guid><title>b</title>"
                + "<rssCloud:item><guid>3</guid></rssCloud:item></rssCloud:item>"
                + "<item><guid>4</guid></item></item><item><guid>5</guid></item>");
    assertThat(entries).extracting(Entry::id).containsExactly("1", "2", "3", "4", "5");
    assertThat(entries).extracting(Entry::title).containsExactly("a", "b", null, null, null);
  }

  @Test
  void name_their_parent_by_its_link_else_by_its_id() throws FeedParseException {
    List<Entry> entries =
        entries(
            "<item><guid>1</guid><link>http://x.example/1</link>"
                + "<rssCloud:item><guid>2</guid><item><guid>3</guid></item></rssCloud:item></item>");
    assertThat(up(entries.get(0))).isEmpty();
    assertThat(up(entries.get(1))).containsExactly("http://x.example/1");
    assertThat(up(entries.get(2))).containsExactly("2");
  }

  @Test
  void name_a_parent_without_link_and_id_by_its_generated_id() throws FeedParseException {
    List<Entry> entries =
        entries("<item><title>a</title><rssCloud:item><guid>2</guid></rssCloud:item></item>");
    assertThat(entries.get(0).generatedId()).isTrue();
    assertThat(up(entries.get(1))).containsExactly(entries.get(0).id());
  }

  @Test
  void may_have_all_their_elements_in_the_odd_namespace() throws FeedParseException {
    List<Entry> entries =
        entries(
            "<item><guid>1</guid><rssCloud:item><rssCloud:guid>2</rssCloud:guid>"
                + "<rssCloud:title>b</rssCloud:title></rssCloud:item></item>");
    assertThat(entries).extracting(Entry::title).containsExactly(null, "b");
  }

  @Test
  void are_written_flat_and_read_back_the_same() throws FeedParseException {
    List<Entry> entries =
        entries(
            "<item><guid isPermaLink='false'>1</guid><title>a</title><link>http://x.example/1</link>"
                + "<rssCloud:item><title>b</title><guid isPermaLink='false'>2</guid></rssCloud:item>"
                + "</item>");
    byte[] rss = RssWriter.write(Feed.bare("f", "t").withEntries(entries), PushOffer.NONE);
    assertThat(Fixtures.parse(new String(rss, StandardCharsets.UTF_8)).entries())
        .isEqualTo(entries);
  }
}
