package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A known entry that comes under another id, or with other elements, is no news. */
class KnownEntriesTest {

  private static final String RSS = "application/rss+xml";
  private static final String MOST =
      "<item><guid>1</guid><title>One</title><description>text</description></item>";
  private static final String LEAST = "<item><guid>1</guid><title>One</title></item>";

  private final FakeOrigin origin = new FakeOrigin();
  @TempDir Path data;
  private StageBench bench;
  private String topic = "";

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest();
  }

  @AfterEach
  void stop() {
    bench.close();
    origin.close();
  }

  private static String feed(String items) {
    return "<rss version='2.0'><channel><title>F</title>" + items + "</channel></rss>";
  }

  private void serve(String items) {
    topic = origin.serve("feed.xml", RSS, feed(items));
  }

  private void follow(String items) {
    serve(items);
    bench.followed(topic);
  }

  private void ping() {
    bench.light(bench.feed(topic), Via.PING);
    bench.untilIdle();
  }

  private void push(String items) {
    bench.fat(bench.feed(topic), RSS, feed(items));
    bench.untilIdle();
  }

  private List<Entry> news() {
    return bench.events(topic).stream()
        .flatMap(event -> event.update().feed().entries().stream())
        .toList();
  }

  private List<Entry> changes() {
    return bench.events(topic).stream()
        .flatMap(event -> event.update().changed().stream())
        .toList();
  }

  private static String items(String prefix, int from) {
    StringBuilder items = new StringBuilder();
    for (int i = from; i > 0; i--) {
      items.append(
          "<item><guid>%s%d</guid><title>Title %d</title>".formatted(prefix, i, i)
              + "<pubDate>Tue, 03 Jun 2003 09:39:%02d GMT</pubDate></item>".formatted(i));
    }
    return items.toString();
  }

  @Test
  void a_feed_that_moves_to_https_sends_its_new_entry_alone_and_tells_of_the_move() {
    follow(items("http://www.news.example/", 3));
    serve(items("https://news.example/", 4));
    ping();

    assertThat(news()).extracting(Entry::id).containsExactly("https://news.example/4");
    assertThat(changes()).isEmpty();
    assertThat(bench.feed(topic).fetched().message())
        .endsWith("1 new entries, 3 known entries have new ids");
  }

  @Test
  void a_feed_whose_ids_are_all_new_sends_its_new_entry_alone() {
    follow(items("urn:old:", 3));
    serve(items("urn:cms:", 4));
    ping();

    assertThat(news()).extracting(Entry::id).containsExactly("urn:cms:4");
    serve(items("urn:cms:", 5));
    ping();
    assertThat(news()).extracting(Entry::id).containsExactly("urn:cms:4", "urn:cms:5");
  }

  @Test
  void a_push_with_fewer_elements_than_the_polled_entry_is_no_update() {
    follow("");
    serve(MOST);
    ping();
    push(LEAST);
    serve(MOST + " ");
    ping();

    assertThat(news()).hasSize(1);
    assertThat(changes()).isEmpty();
  }

  @Test
  void a_polled_entry_with_more_elements_than_the_push_is_no_update() {
    follow("");
    push(LEAST);
    serve(MOST);
    ping();
    push(LEAST);

    assertThat(news()).hasSize(1);
    assertThat(changes()).isEmpty();
    push(LEAST.replace(">One<", ">Other<"));
    assertThat(changes()).as("an edit").hasSize(1);
  }
}
