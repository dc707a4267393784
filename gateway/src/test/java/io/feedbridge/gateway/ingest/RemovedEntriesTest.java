package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Removal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An entry that its feed says was removed is an event, and no entry of the feed any more. */
class RemovedEntriesTest {

  private static final String ATOM = "application/atom+xml";
  private static final Removal ONE = new Removal("urn:1", Instant.parse("2026-04-01T12:00:00Z"));
  private static final String GONE =
      "<at:deleted-entry xmlns:at='http://purl.org/atompub/tombstones/1.0' ref='urn:%s'"
          + " when='2026-04-01T12:00:00Z'/>";

  private final FakeOrigin origin = new FakeOrigin();
  @TempDir Path data;
  private StageBench bench;
  private String topic = "";

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest();
    serve(titled(entry(2, 11) + entry(1, 11)));
    bench.followed(topic);
  }

  @AfterEach
  void stop() {
    bench.close();
    origin.close();
  }

  private static String entry(int number, int hour) {
    return "<entry><id>urn:%d</id><title>t</title><updated>2026-04-01T%d:00:00Z</updated></entry>"
        .formatted(number, hour);
  }

  private static String feed(String elements) {
    return "<feed xmlns='http://www.w3.org/2005/Atom'>" + elements + "</feed>";
  }

  private static String titled(String elements) {
    return feed("<id>urn:f</id><title>A feed</title>" + elements);
  }

  private void serve(String document) {
    topic = origin.serve("feed.xml", ATOM, document);
  }

  private void ping(String document) {
    serve(document);
    bench.light(bench.feed(topic), Via.PING);
    bench.untilIdle();
  }

  private void push(String document) {
    bench.fat(bench.feed(topic), ATOM, document);
    bench.untilIdle();
  }

  private List<Removal> removals() {
    return bench.events(topic).stream()
        .flatMap(event -> event.update().feed().removals().stream())
        .toList();
  }

  private List<String> news() {
    return bench.events(topic).stream()
        .flatMap(event -> event.update().feed().entries().stream())
        .map(Entry::id)
        .toList();
  }

  private Newest newest() {
    return bench.store().feeds().newest(bench.feed(topic).id(), Newest.KEPT).orElseThrow();
  }

  private List<String> kept() {
    return newest().entries().stream().map(arrival -> arrival.entry().id()).toList();
  }

  @Test
  void a_pushed_removal_is_an_event_with_the_fields_of_the_feed() {
    push(feed(GONE.formatted(1)));

    assertThat(removals()).containsExactly(ONE);
    Event event = bench.events(topic).get(0);
    assertThat(event.update().feed().title()).isEqualTo("A feed");
    assertThat(event.update().feed().entries()).isEmpty();
    assertThat(kept()).containsExactly("urn:2");
    assertThat(newest().feed().title()).isEqualTo("A feed");
    assertThat(newest().feed().removals()).isEmpty();
    assertThat(bench.feed(topic).fetched().message()).endsWith("0 new entries, 1 entries removed");
  }

  @Test
  void a_tombstone_that_is_pushed_alone_is_an_event() {
    push(GONE.formatted(1));

    assertThat(removals()).containsExactly(ONE);
  }

  @Test
  void a_fetched_removal_is_an_event_beside_new_entries() {
    ping(titled(entry(3, 12) + entry(2, 11) + GONE.formatted(1)));

    assertThat(bench.events(topic)).hasSize(1);
    assertThat(removals()).containsExactly(ONE);
    assertThat(news()).containsExactly("urn:3");
    assertThat(kept()).containsExactly("urn:3", "urn:2");
  }

  @Test
  void a_removal_is_told_once_and_an_unknown_or_absent_entry_never() {
    push(feed(GONE.formatted(1)));
    push(feed(GONE.formatted(1) + GONE.formatted(7)));
    ping(titled(entry(2, 11) + GONE.formatted(1)));
    ping(titled(GONE.formatted(1)));

    assertThat(removals()).containsExactly(ONE);
    assertThat(kept()).as("absent").containsExactly("urn:2");
  }

  @Test
  void a_document_that_lags_behind_brings_no_entry_back_and_a_later_version_does() {
    push(feed(GONE.formatted(1)));
    ping(titled(entry(2, 11) + entry(1, 11) + "<!-- cached -->"));
    assertThat(news()).isEmpty();
    assertThat(kept()).containsExactly("urn:2");

    ping(titled(entry(2, 11) + entry(1, 13)));
    assertThat(news()).containsExactly("urn:1");
    assertThat(kept()).containsExactly("urn:1", "urn:2");
  }
}
