package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class EntryIdsTest {
  private static List<String> ids(String items) throws FeedParseException {
    return Fixtures.parse(Fixtures.channel("<link>https://h.example/</link>" + items))
        .entries()
        .stream()
        .map(Entry::id)
        .toList();
  }

  private static String item(String elements) {
    return "<item>" + elements + "</item>";
  }

  @Test
  void a_generated_id_is_marked_and_the_feed_tells() {
    Feed feed = Fixtures.feed("rss2.xml");
    assertThat(feed.entries()).extracting(Entry::generatedId).containsExactly(false, false, true);
    assertThat(feed.anyGeneratedId()).isTrue();
    assertThat(Fixtures.feed("atom.xml").anyGeneratedId()).isFalse();
  }

  @Test
  void of_a_link_it_is_the_same_at_every_fetch_whatever_else_changes() throws FeedParseException {
    String link = "<link>https://h.example/1</link>";
    assertThat(ids(item(link + "<title>a</title>")))
        .isEqualTo(ids(item(link + "<title>b</title><pubDate>7 Sep 2002</pubDate>")))
        .allSatisfy(id -> assertThat(id).startsWith("urn:feedbridge:entry:h-example-1-"));
  }

  @Test
  void links_that_entries_share_tell_nothing() throws FeedParseException {
    String home = "<link>https://h.example/</link>";
    assertThat(ids(item(home + "<title>a</title>") + item(home + "<title>b</title>")))
        .doesNotHaveDuplicates();
    String other = "<link>https://h.example/same</link>";
    assertThat(ids(item(other + "<title>a</title>") + item(other + "<title>b</title>")))
        .doesNotHaveDuplicates();
  }

  @Test
  void without_a_link_it_is_of_title_and_date_and_else_of_the_content() throws FeedParseException {
    assertThat(
            ids(
                item("<title>a</title><pubDate>7 Sep 2002</pubDate>")
                    + item("<title>a</title><pubDate>8 Sep 2002</pubDate>")
                    + item("<description>x</description>")
                    + item("<description>y</description>")))
        .doesNotHaveDuplicates()
        .doesNotContain("");
  }

  @Test
  void an_empty_guid_is_none() throws FeedParseException {
    assertThat(ids(item("<guid> </guid><title>a</title>")))
        .isEqualTo(ids(item("<title>a</title>")));
  }
}
