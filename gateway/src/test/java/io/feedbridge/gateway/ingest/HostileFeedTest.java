package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.digest.Hashes;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.SeenEntry;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Feeds that mean harm, or are merely large, cost no more than their bounds. */
class HostileFeedTest {

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

  private void fetch(FollowedFeed feed) {
    bench.light(feed, Via.PING);
    bench.untilIdle();
  }

  @Test
  void entry_ids_of_a_megabyte_are_told_apart_and_take_little_room() {
    String long1 = "x".repeat(1 << 20) + "1";
    String long2 = "x".repeat(1 << 20) + "2";
    String topic = origin.rss("feed.xml", "", long1);
    FollowedFeed feed = bench.followed(topic);
    origin.rss("feed.xml", "", long2, long1);

    fetch(feed);
    fetch(feed);

    assertThat(bench.news(topic)).containsExactly(long2);
    assertThat(bench.store().feeds().seen(feed.id(), List.of(long1, long2)))
        .containsOnlyKeys(long1, long2);
    List<String> keys =
        List.of("sha256:" + Hashes.sha256(utf8(long1)), "sha256:" + Hashes.sha256(utf8(long2)));
    assertThat(bench.store().feeds().seen(feed.id(), keys).values())
        .extracting(SeenEntry::id)
        .containsExactlyInAnyOrderElementsOf(keys);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  @Test
  void ten_thousand_entries_become_events_of_at_most_100_in_order() {
    String topic = origin.rss("feed.xml", "");
    FollowedFeed feed = bench.followed(topic);
    String[] items =
        IntStream.range(0, 10_000).mapToObj(i -> "e" + (9_999 - i)).toArray(String[]::new);
    origin.rss("feed.xml", "", items);

    fetch(feed);

    List<Event> events = bench.events(topic);
    assertThat(events)
        .hasSize(100)
        .allSatisfy(
            event ->
                assertThat(event.update().feed().entries())
                    .hasSizeBetween(1, Document.MAX_ENTRIES));
    // The oldest entries make the first event; within one the newest stays first.
    assertThat(events.get(0).update().feed().entries())
        .extracting(Entry::id)
        .startsWith("e99")
        .endsWith("e0");
    assertThat(events.get(99).update().feed().entries()).extracting(Entry::id).startsWith("e9999");
    assertThat(bench.feed(topic).head()).isEqualTo(events.get(99).seq());
    assertThat(events).extracting(event -> event.update().bytesChanged()).containsOnlyOnce(true);
    assertThat(events.get(99).update().bytesChanged()).isTrue();
  }

  @Test
  void long_fields_of_the_feed_are_not_repeated_in_every_event() {
    String topic = origin.rss("feed.xml", "");
    FollowedFeed feed = bench.followed(topic);
    String[] items = IntStream.range(0, 1_000).mapToObj(i -> "e" + i).toArray(String[]::new);
    String text =
        FakeOrigin.rssOf("<copyright>c</copyright>", items)
            .replace("<title>News</title>", "<title>" + "t".repeat(2 << 20) + "</title>")
            .replace("<description>d", "<description>" + "d".repeat(2 << 20));
    origin.serve("feed.xml", "application/rss+xml", text);

    fetch(feed);

    assertThat(bench.news(topic)).hasSize(1_000);
    assertThat(bench.events(topic))
        .allSatisfy(
            event -> assertThat(Json.bytes(event.update())).hasSizeLessThan(Document.MAX_BYTES));
    assertThat(bench.feed(topic).fetched().title()).hasSize(1_000);
  }

  @Test
  void entries_that_together_are_long_become_several_events() {
    String topic = origin.rss("feed.xml", "");
    FollowedFeed feed = bench.followed(topic);
    String[] items =
        IntStream.range(0, 10)
            .mapToObj(i -> "e" + i + "-" + "y".repeat(150_000))
            .toArray(String[]::new);
    origin.rss("feed.xml", "", items);

    fetch(feed);

    assertThat(bench.news(topic)).hasSize(10);
    assertThat(bench.events(topic)).hasSizeGreaterThan(2);
  }

  @Test
  void characters_that_a_store_may_not_hold_never_get_there() {
    String topic = origin.serve("feed.json", "application/feed+json", json("one", "t"));
    FollowedFeed feed = bench.followed(topic);
    origin.serve(
        "feed.json", "application/feed+json", json("tw\\u0000o\\ud800", "T\\u0000\\udc00"));

    fetch(feed);

    assertThat(bench.news(topic)).containsExactly("two");
    Entry entry = bench.events(topic).get(0).update().feed().entries().get(0);
    assertThat(entry.title()).isEqualTo("T");
    assertThat(bench.feed(topic).fetched().title()).isEqualTo("T");
  }

  private static String json(String id, String title) {
    return """
    {"version": "https://jsonfeed.org/version/1.1", "title": "%s",
     "items": [{"id": "%s", "title": "%s", "content_text": "c"}]}"""
        .formatted(title, id, title);
  }

  @Test
  void a_null_character_in_xml_is_repaired_or_refused_and_never_stored() {
    String topic = origin.rss("feed.xml", "", "one");
    FollowedFeed feed = bench.followed(topic);
    origin.rss("feed.xml", "", "t\u0000wo", "&#0;three", "one");

    fetch(feed);

    assertThat(bench.news(topic)).noneMatch(id -> id.indexOf('\u0000') >= 0);
    assertThat(bench.feed(topic).fetched().failures()).isLessThanOrEqualTo(1);
  }
}
