package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of each feed beside the log: its newest entries, from the first fetch on. */
class NewestEntriesTest {

  private final FakeOrigin origin = new FakeOrigin();
  @TempDir Path data;
  private StageBench bench;

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest();
  }

  @AfterEach
  void stop() {
    bench.close();
    origin.close();
  }

  private Optional<Newest> newest(FollowedFeed feed) {
    return bench.store().feeds().newest(feed.id(), Newest.KEPT);
  }

  private List<String> ids(FollowedFeed feed) {
    return newest(feed).orElseThrow().entries().stream()
        .map(arrival -> arrival.entry().id())
        .toList();
  }

  private void fetch(FollowedFeed feed) {
    bench.light(feed, Via.POLL);
    bench.untilIdle();
  }

  @Test
  void L13_the_first_fetch_leaves_what_the_feed_had_without_any_event() {
    String topic = origin.rss("feed.xml", "", "two", "one");

    FollowedFeed feed = bench.followed(topic);

    assertThat(ids(feed)).containsExactly("two", "one");
    assertThat(newest(feed).orElseThrow().entries()).allMatch(arrival -> arrival.seq() == null);
    assertThat(newest(feed).orElseThrow().feed().title())
        .isEqualTo(bench.feed(topic).fetched().title());
    assertThat(newest(feed).orElseThrow().feed().entries()).isEmpty();
    assertThat(bench.events(topic)).isEmpty();
  }

  @Test
  void L13_what_comes_later_is_there_with_its_event_by_a_fetch_and_by_a_delivery() {
    String topic = origin.rss("feed.xml", "", "one");
    FollowedFeed feed = bench.followed(topic);
    origin.rss("feed.xml", "", "two", "one");

    fetch(feed);
    bench.fat(feed, "application/rss+xml", FakeOrigin.rssOf("", "three"));
    bench.untilIdle();

    assertThat(ids(feed)).containsExactly("three", "two", "one");
    assertThat(newest(feed).orElseThrow().entries())
        .extracting(Newest.Arrival::seq)
        .containsExactly(bench.events(topic).get(1).seq(), bench.events(topic).get(0).seq(), null);
  }

  @Test
  void L13_of_a_long_feed_the_first_fifty_entries_of_the_document_are_kept() {
    String[] titles = IntStream.range(0, 120).mapToObj(i -> "entry " + i).toArray(String[]::new);
    String topic = origin.rss("feed.xml", "", titles);

    FollowedFeed feed = bench.followed(topic);

    assertThat(ids(feed)).isEqualTo(List.of(titles).subList(0, Newest.KEPT));
  }

  @Test
  void L13_what_is_no_feed_has_none_until_it_is_one() {
    String topic = origin.serve("feed.xml", "text/html", "<html>Soon here</html>");
    FollowedFeed feed = bench.followed(topic);
    assertThat(newest(feed)).isEmpty();
    origin.rss("feed.xml", "", "one");

    fetch(feed);

    assertThat(ids(feed)).containsExactly("one");
  }

  @Test
  void L13_fields_that_are_too_long_are_not_kept() {
    String text =
        FakeOrigin.rssOf("", "one")
            .replace("<description>d", "<description>" + "d".repeat(Document.MAX_BYTES / 8));
    String topic = origin.serve("feed.xml", "application/rss+xml", text);

    FollowedFeed feed = bench.followed(topic);

    assertThat(newest(feed).orElseThrow().feed().subtitle()).isNull();
    assertThat(ids(feed)).containsExactly("one");
  }
}
