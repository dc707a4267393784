package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An entry that the end of a document cuts waits for the rest of its text. */
class PartialDocumentTest {

  private static final String RSS = "application/rss+xml";
  private static final String WHOLE =
      "<rss version='2.0'><channel><title>F</title><item><guid>new</guid><title>New</title></item>"
          + "<item><guid>last</guid><title>Last</title><description>all of the text</description>"
          + "</item></channel></rss>";
  private static final String PART = WHOLE.substring(0, WHOLE.indexOf("of the text"));

  private final FakeOrigin origin = new FakeOrigin();
  @TempDir Path data;
  private StageBench bench;
  private String topic = "";

  @BeforeEach
  void start() {
    bench = StageBench.on(data).startIngest();
    topic = origin.rss("feed.xml", "", "one");
    bench.followed(topic);
  }

  @AfterEach
  void stop() {
    bench.close();
    origin.close();
  }

  private void serve(String document) {
    origin.serve(
        "feed.xml", RSS, document.getBytes(StandardCharsets.UTF_8), "ETag", '"' + document + '"');
    bench.light(bench.feed(topic), Via.PING);
    bench.untilIdle();
  }

  private List<Entry> news() {
    return bench.events(topic).stream()
        .flatMap(event -> event.update().feed().entries().stream())
        .toList();
  }

  private List<String> ids() {
    return news().stream().map(Entry::id).toList();
  }

  private static String text(Entry entry) {
    Content summary = Objects.requireNonNull(entry.summary());
    return summary.value();
  }

  private void wait(Duration time) {
    bench.timer().advance(time);
    bench.untilIdle();
  }

  @Test
  void the_whole_entries_are_news_and_the_last_one_is_when_the_document_is_whole() {
    serve(PART);
    assertThat(ids()).containsExactly("new");

    serve(WHOLE);
    assertThat(ids()).containsExactly("new", "last");
    assertThat(text(news().get(1))).isEqualTo("all of the text");
  }

  @Test
  void the_history_tells_of_the_end_and_no_validator_is_kept() {
    serve(PART);

    FollowedFeed feed = bench.feed(topic);
    assertThat(feed.fetched().message()).endsWith("the document breaks off before its end");
    assertThat(feed.validators().etag()).isNull();
    assertThat(feed.validators().lastModified()).isNull();

    serve(WHOLE);
    assertThat(bench.feed(topic).fetched().message()).doesNotContain("breaks off");
    assertThat(bench.feed(topic).fetched().partial()).isNull();
  }

  @Test
  void a_second_document_that_ends_there_too_shows_that_there_is_no_more() {
    serve(PART);
    serve(PART.replace("<title>F</title>", "<title>G</title>"));

    assertThat(ids()).containsExactly("new", "last");
    Event event = bench.events(topic).get(bench.events(topic).size() - 1);
    assertThat(event.update().feed().repairs()).anyMatch(repair -> repair.contains("cut off"));
  }

  @Test
  void an_entry_that_waits_is_delivered_when_the_next_document_has_it_no_more() {
    serve(PART);
    serve(WHOLE.replaceFirst("<item><guid>last.*</item>", ""));

    assertThat(ids()).containsExactly("new", "last");
    Event event = bench.events(topic).get(bench.events(topic).size() - 1);
    assertThat(event.update().feed().repairs()).anyMatch(repair -> repair.contains("last entry"));

    serve(WHOLE);
    assertThat(ids()).as("the rest of it").containsExactly("new", "last", "last");
  }

  @Test
  void a_feed_of_one_entry_that_always_breaks_off_loses_none() {
    String one =
        "<rss version='2.0'><channel><title>F</title><item><guid>%s</guid><title>T</title>"
            + "<description>a text";
    for (String id : List.of("a", "b", "c", "d")) {
      serve(one.formatted(id));
    }

    assertThat(ids()).containsExactly("a", "b", "c");
    wait(Duration.ofMinutes(61));
    serve(one.formatted("d"));
    assertThat(ids()).containsExactly("a", "b", "c", "d");
  }

  @Test
  void the_entries_before_the_cut_do_not_tell_of_an_entry_that_waits() {
    serve(PART);

    Event event = bench.events(topic).get(0);
    assertThat(event.update().feed().repairs())
        .containsExactly("The document is cut off: the complete part before the cut was read.");
  }

  @Test
  void bytes_that_were_delivered_are_not_delivered_again_with_the_entry_that_waited() {
    serve(PART);
    wait(Duration.ofMinutes(61));
    serve(PART);

    assertThat(bench.events(topic))
        .extracting(event -> event.update().bytesChanged())
        .containsExactly(true, false);
  }

  @Test
  void an_entry_that_a_repair_may_have_cut_is_news_again_when_the_document_is_whole() {
    String damaged = WHOLE.replace("</description>", "").replace("all of the text", "all of </p>");
    serve(damaged);
    assertThat(ids()).containsExactly("new", "last");

    serve(WHOLE);
    assertThat(ids()).containsExactly("new", "last", "last");
    assertThat(text(news().get(2))).isEqualTo("all of the text");
    serve(WHOLE.replace("all of", "some of"));
    assertThat(ids()).as("an edit").hasSize(3);
  }

  @Test
  void an_edit_in_a_feed_that_is_always_damaged_is_no_new_entry() {
    String damaged = WHOLE.replace("</description>", "");
    serve(damaged);
    serve(damaged.replace("all of", "some of"));

    assertThat(ids()).containsExactly("new", "last");
    assertThat(bench.events(topic).get(1).update().changed()).hasSize(1);
  }

  @Test
  void the_same_bytes_show_it_after_an_hour_and_no_sooner() {
    serve(PART);
    assertThat(Objects.requireNonNull(bench.feed(topic).nextFetchAt()))
        .isBeforeOrEqualTo(bench.timer().now().plus(Duration.ofHours(1)));
    wait(Duration.ofMinutes(50));
    serve(PART);
    assertThat(ids()).containsExactly("new");

    wait(Duration.ofMinutes(11));
    serve(PART);
    assertThat(ids()).containsExactly("new", "last");
    serve(PART);
    assertThat(ids()).containsExactly("new", "last");
  }

  @Test
  void an_entry_that_was_taken_for_whole_is_news_again_to_everybody_when_it_becomes_whole() {
    serve(PART);
    serve(PART.replace("<title>F</title>", "<title>G</title>"));
    assertThat(news().get(1).summary()).as("the field that is cut").isNull();

    serve(WHOLE);

    assertThat(ids()).containsExactly("new", "last", "last");
    assertThat(text(news().get(2))).isEqualTo("all of the text");
    serve(WHOLE + " ");
    assertThat(news()).hasSize(3);
  }

  @Test
  void a_delivery_that_breaks_off_has_the_feed_fetched() {
    origin.serve("feed.xml", RSS, WHOLE.getBytes(StandardCharsets.UTF_8));
    int before = origin.requests("feed.xml").size();

    bench.fat(bench.feed(topic), RSS, PART);
    bench.untilIdle();

    assertThat(origin.requests("feed.xml")).hasSize(before + 1);
    assertThat(ids()).containsExactlyInAnyOrder("new", "last");
  }

  @Test
  void a_part_of_a_known_entry_is_no_change() {
    serve(WHOLE);
    int events = bench.events(topic).size();

    serve(PART);
    serve(WHOLE);

    assertThat(ids()).containsExactlyInAnyOrder("new", "last");
    assertThat(bench.events(topic).stream().skip(events))
        .allSatisfy(event -> assertThat(event.update().changed()).isEmpty());
  }
}
