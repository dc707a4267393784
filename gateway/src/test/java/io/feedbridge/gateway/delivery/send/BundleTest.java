package io.feedbridge.gateway.delivery.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.delivery.Bed;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.TopicFormat;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedFamily;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.Source;
import io.feedbridge.normalizer.Status;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is news to whom (DESIGN §1, last paragraph). */
class BundleTest {

  private static final Instant AT = Bed.START;
  private static final String BYTES = "<rss>all of it</rss>";

  private final AtomicInteger bodyReads = new AtomicInteger();

  private Bundle bundle(Event... events) {
    return new Bundle(List.of(events), true, this::body, Bed.DOCUMENTS);
  }

  private Optional<Body> body() {
    bodyReads.incrementAndGet();
    return Optional.of(new Body("application/rss+xml", BYTES.getBytes(StandardCharsets.UTF_8)));
  }

  private static Event event(long seq, List<Entry> fresh, List<Entry> changed, boolean bytes) {
    Update update =
        new Update(Bed.fresh().feed().withEntries(fresh), changed, Status.of(Bed.TOPIC), bytes);
    return new Event(seq, 1, AT, Via.PING, update);
  }

  private static Event fresh(long seq, String id) {
    return event(seq, List.of(Bed.entry(id, id)), List.of(), false);
  }

  private static Event changed(long seq, String id, @Nullable Instant updated) {
    return event(seq, List.of(), List.of(Bed.entry(id, id, updated)), true);
  }

  private static Event bytes(long seq) {
    return event(seq, List.of(), List.of(), true);
  }

  private static Terms terms(Format format) {
    return Bed.terms(format, null);
  }

  private static Terms withUpdates(Format format) {
    return new Terms(Bed.TOPIC, format, null, "sha256", true, false, Duration.ofDays(1));
  }

  private static String text(Optional<Bundle.Rendered> document) {
    return new String(document.orElseThrow().body(), StandardCharsets.UTF_8);
  }

  @Nested
  class Status_alone {

    private static Event failing(long seq) {
      Update update = Update.ofStatus(Bed.fresh().feed().withEntries(List.of()), Status.of(TOPIC));
      return new Event(seq, 1, AT, Via.POLL, update);
    }

    private static final String TOPIC = "http://failing.example/";

    @ParameterizedTest
    @EnumSource(names = {"ATOM", "JSON"})
    void is_a_document_without_entries_for_those_who_get_the_status(Format format) {
      assertThat(text(bundle(failing(1)).render(0, terms(format))))
          .contains("failing.example")
          .doesNotContain("<entry");
    }

    @ParameterizedTest
    @EnumSource(names = {"LIGHT", "RAW"})
    void is_no_news_to_those_who_get_none(Format format) {
      assertThat(bundle(failing(1)).render(0, terms(format))).isEmpty();
      assertThat(bundle(bytes(1), failing(2)).render(0, terms(format))).isPresent();
    }
  }

  @Nested
  class Removed_entries {

    private static final Removal A = new Removal("a", AT);

    private static Event removed(long seq) {
      return removed(seq, null);
    }

    private static Event removed(long seq, @Nullable TopicFormat format) {
      Update update =
          new Update(
                  Bed.fresh().feed().withEntries(List.of()).withRemovals(List.of(A)),
                  List.of(),
                  Status.of(Bed.TOPIC),
                  false)
              .in(format);
      return new Event(seq, 1, AT, Via.WEBSUB, update);
    }

    @ParameterizedTest
    @EnumSource(names = {"ATOM", "JSON", "JSONFEED", "AUTO", "LIGHT"})
    void are_news_to_all(Format format) {
      assertThat(bundle(removed(1)).render(0, terms(format))).isPresent();
    }

    @Test
    void are_no_news_in_RSS_and_no_new_bytes() {
      assertThat(bundle(removed(1)).render(0, terms(Format.RSS))).isEmpty();
      for (FeedFamily family : List.of(FeedFamily.RSS, FeedFamily.RDF)) {
        TopicFormat own = new TopicFormat(family, null);
        assertThat(bundle(removed(1, own)).render(0, terms(Format.AUTO))).isEmpty();
      }
      assertThat(bundle(removed(1)).render(0, terms(Format.RAW))).isEmpty();
      assertThat(text(bundle(fresh(1, "b"), removed(2)).render(0, terms(Format.RSS))))
          .contains("<title>b</title>")
          .doesNotContain("deleted");
    }

    @Test
    void are_written_beside_the_status_of_a_JSON_Feed() {
      TopicFormat own = new TopicFormat(FeedFamily.JSON_FEED, null);
      assertThat(text(bundle(removed(1, own)).render(0, terms(Format.AUTO))))
          .contains("\"_superfeedr\":{\"status\":{", "\"removed\":[{\"id\":\"a\",\"when\":");
    }

    @Test
    void are_only_removed_for_a_laggard_that_missed_the_entry_as_well() {
      assertThat(
              text(bundle(fresh(1, "a"), fresh(2, "b"), removed(3)).render(0, terms(Format.JSON))))
          .containsOnlyOnce("\"id\":\"a\"")
          .contains("\"id\":\"b\"", "{\"id\":\"a\",\"removed\":true");
    }

    @Test
    void of_a_tracker_are_of_the_feed_that_is_their_source() {
      Source one = Source.of(Feed.bare("urn:one", "one"), Status.of("https://one.example/"));
      Source two = Source.of(Feed.bare("urn:two", "two"), Status.of("https://two.example/"));
      Entry entry = Bed.fresh("a").feed().entries().get(0);
      Feed bare = Feed.bare(Bed.TOPIC, "tracker");
      Event fresh =
          tracked(1, bare.withEntries(List.of(entry.withSource(one), entry.withSource(two))));
      Event removed = tracked(2, bare.withRemovals(List.of(A.withSource(one))));

      String json = text(bundle(fresh, removed).render(0, terms(Format.JSON)));

      assertThat(json)
          .containsOnlyOnce("\"removed\":true")
          .contains("https://two.example/")
          .matches("(?s).*\"removed\":true[^}]*https://one.example/.*");
      assertThat(json.split("https://one.example/", -1)).hasSize(2);
      assertThat(text(bundle(removed).render(0, terms(Format.ATOM))))
          .containsPattern("(?s)<at:deleted-entry .*<source>.*one.*</source></at:deleted-entry>");
    }

    private static Event tracked(long seq, Feed feed) {
      Update update = new Update(feed, List.of(), Status.of(Bed.TOPIC), false);
      return new Event(seq, 1, AT, Via.TRACK, update);
    }

    @Test
    void are_only_entries_for_a_laggard_when_they_came_back() {
      assertThat(text(bundle(removed(1), fresh(2, "a")).render(0, terms(Format.JSON))))
          .containsOnlyOnce("\"id\":\"a\"")
          .doesNotContain("removed");
    }
  }

  /** An update as a gateway stored it that did not know the format of topics. */
  @Test
  void an_event_of_an_earlier_version_is_Atom_in_the_format_of_its_topic() {
    String stored = Json.text(fresh(1, "a").update());
    assertThat(stored).doesNotContain("\"format\"").doesNotContain("idForm");
    Event read = new Event(1, 1, AT, Via.PING, Json.read(stored, Update.class));

    Bundle.Rendered document = bundle(read).render(0, terms(Format.AUTO)).orElseThrow();

    assertThat(document.contentType().value()).isEqualTo("application/atom+xml; charset=utf-8");
  }

  @Nested
  class New_entries {

    @ParameterizedTest
    @EnumSource(names = {"ATOM", "JSON", "LIGHT"})
    void a_new_entry_is_news_to_all(Format format) {
      assertThat(bundle(fresh(1, "a")).render(0, terms(format))).isPresent();
    }

    @Test
    void of_a_feed_whose_bytes_are_known_a_new_entry_is_news_to_raw_subscribers_as_the_bytes() {
      Bundle bundle = bundle(event(1, List.of(Bed.entry("a", "a")), List.of(), true));

      assertThat(text(bundle.render(0, terms(Format.RAW)))).isEqualTo(BYTES);
      assertThat(bundle.render(0, terms(Format.RAW)).orElseThrow().contentType().value())
          .isEqualTo("application/rss+xml");
    }

    @Test
    void what_a_subscriber_has_already_is_not_in_its_document() {
      Bundle bundle = bundle(fresh(3, "a"), fresh(5, "b"), fresh(9, "c"));

      assertThat(text(bundle.render(0, terms(Format.ATOM))))
          .contains(">a</dc:identifier>", ">b</dc:identifier>", ">c</dc:identifier>");
      assertThat(text(bundle.render(3, terms(Format.ATOM))))
          .contains(">b</dc:identifier>", ">c</dc:identifier>")
          .doesNotContain(">a</dc:identifier>");
      assertThat(bundle.render(9, terms(Format.ATOM))).isEmpty();
      assertThat(bundle.render(9, terms(Format.LIGHT))).isEmpty();
      assertThat(bundle.render(9, terms(Format.RAW))).isEmpty();
    }

    @Test
    void its_id_is_that_of_its_newest_event() {
      assertThat(bundle(fresh(3, "a"), fresh(5, "b")).id()).isEqualTo(5);
    }

    @Test
    void one_document_is_shared_by_all_of_a_kind() {
      Bundle bundle = bundle(fresh(3, "a"));

      assertThat(bundle.render(0, terms(Format.ATOM)).orElseThrow().body())
          .isSameAs(bundle.render(2, terms(Format.ATOM)).orElseThrow().body());
    }
  }

  @Nested
  class Changed_entries {

    @Test
    void are_news_to_light_and_raw_subscribers() {
      Bundle bundle = bundle(changed(1, "a", null));

      assertThat(bundle.render(0, terms(Format.LIGHT))).isPresent();
      assertThat(text(bundle.render(0, terms(Format.RAW)))).isEqualTo(BYTES);
    }

    @ParameterizedTest
    @EnumSource(names = {"ATOM", "JSON"})
    void are_no_news_in_the_schema_unless_asked_for(Format format) {
      Bundle bundle = bundle(changed(1, "a", null));

      assertThat(bundle.render(0, terms(format))).isEmpty();
      assertThat(text(bundle.render(0, withUpdates(format)))).contains("a");
    }

    @ParameterizedTest
    @EnumSource(names = {"ATOM", "JSON"})
    void are_news_in_the_schema_when_they_say_that_they_changed_in_the_last_three_minutes(
        Format format) {
      Instant recent = AT.minus(Duration.ofMinutes(3)).plusSeconds(1);

      assertThat(bundle(changed(1, "a", recent)).render(0, terms(format))).isPresent();
      assertThat(bundle(changed(1, "a", recent.minusSeconds(1))).render(0, terms(format)))
          .isEmpty();
    }

    @Test
    void are_left_out_beside_new_ones() {
      Bundle bundle = bundle(fresh(1, "new"), changed(2, "old", null));

      assertThat(text(bundle.render(0, terms(Format.ATOM))))
          .contains(">new</dc:identifier>")
          .doesNotContain(">old</dc:identifier>");
      assertThat(text(bundle.render(0, withUpdates(Format.ATOM))))
          .contains(">new</dc:identifier>", ">old</dc:identifier>");
    }
  }

  @Nested
  class Changed_bytes_alone {

    @Test
    void are_news_to_light_and_raw_subscribers_only() {
      Bundle bundle = bundle(bytes(1));

      assertThat(bundle.render(0, terms(Format.LIGHT))).isPresent();
      assertThat(text(bundle.render(0, terms(Format.RAW)))).isEqualTo(BYTES);
      assertThat(bundle.render(0, withUpdates(Format.ATOM))).isEmpty();
      assertThat(bundle.render(0, withUpdates(Format.JSON))).isEmpty();
    }

    @Test
    void are_read_once_for_all() {
      Bundle bundle = bundle(bytes(1));
      for (int i = 0; i < 10; i++) {
        assertThat(bundle.render(0, terms(Format.RAW))).isPresent();
      }
      assertThat(bodyReads).hasValue(1);
    }

    @Test
    void that_are_still_to_be_fetched_are_no_delivery_that_was_made() {
      Bundle bundle = new Bundle(List.of(bytes(1)), true, Optional::empty, Bed.DOCUMENTS);

      assertThatThrownBy(() -> bundle.render(0, terms(Format.RAW)))
          .hasMessageContaining("still to be fetched");
    }

    @Test
    void that_did_not_change_are_no_news_to_raw_subscribers() {
      assertThat(bundle(fresh(1, "a")).render(0, terms(Format.RAW))).isEmpty();
      assertThat(bodyReads).hasValue(0);
    }
  }

  @Nested
  class What_is_no_feed {

    @ParameterizedTest
    @EnumSource(names = {"ATOM", "JSON", "RAW"})
    void is_delivered_by_its_bytes_whatever_the_format(Format format) {
      Bundle bundle = new Bundle(List.of(bytes(1)), false, BundleTest.this::body, Bed.DOCUMENTS);

      assertThat(text(bundle.render(0, terms(format)))).isEqualTo(BYTES);
    }

    @Test
    void has_a_type_even_if_its_origin_named_none() {
      Bundle bundle =
          new Bundle(
              List.of(bytes(1)),
              false,
              () -> Optional.of(new Body(null, new byte[] {1})),
              Bed.DOCUMENTS);

      assertThat(bundle.render(0, terms(Format.ATOM)).orElseThrow().contentType().value())
          .isEqualTo("application/octet-stream");
    }
  }

  @Nested
  class Catch_up {

    @Test
    void fields_and_status_are_those_of_the_newest_event() {
      Update old = Bed.fresh("a");
      Update renamed =
          new Update(
              io.feedbridge.normalizer.Feed.bare(Bed.TOPIC, "the new title")
                  .withEntries(List.of(Bed.entry("b", "b"))),
              List.of(),
              Status.of(Bed.TOPIC),
              false);
      Bundle bundle =
          bundle(new Event(1, 1, AT, Via.POLL, old), new Event(2, 1, AT, Via.POLL, renamed));

      assertThat(text(bundle.render(0, terms(Format.ATOM))))
          .contains("the new title", ">a</dc:identifier>", ">b</dc:identifier>")
          .doesNotContain("a feed");
    }

    private Event fresh(long seq, Entry entry) {
      return event(seq, List.of(entry), List.of(), true);
    }

    private Event changed(long seq, Entry entry) {
      return event(seq, List.of(), List.of(entry), true);
    }

    private List<String> titles(Bundle bundle, Terms terms) {
      String body = text(bundle.render(0, terms));
      return java.util.regex.Pattern.compile("<title>([A-Z][0-9])</title>")
          .matcher(body)
          .results()
          .map(match -> match.group(1))
          .toList();
    }

    @Test
    void an_entry_that_changed_twice_is_sent_once_as_it_is_now_where_it_changed_last() {
      Bundle bundle =
          bundle(
              changed(1, Bed.entry("a", "A1")),
              fresh(2, Bed.entry("b", "B1")),
              changed(3, Bed.entry("a", "A2")));

      assertThat(titles(bundle, withUpdates(Format.ATOM))).containsExactly("B1", "A2");
      assertThat(titles(bundle, terms(Format.ATOM))).containsExactly("B1");
    }

    @Test
    void a_new_entry_that_changed_since_is_sent_once_as_it_is_now() {
      Bundle bundle =
          bundle(
              fresh(1, Bed.entry("a", "A1")),
              fresh(2, Bed.entry("b", "B1")),
              changed(3, Bed.entry("a", "A2")));

      assertThat(titles(bundle, withUpdates(Format.ATOM))).containsExactly("B1", "A2");
      // Who wants no updates gets it as the new entry that it is, in its place, and not outdated.
      assertThat(titles(bundle, terms(Format.ATOM))).containsExactly("A2", "B1");
    }

    @Test
    void L12_a_change_after_the_range_is_not_in_it() {
      Bundle range = bundle(fresh(1, Bed.entry("a", "A1")));

      assertThat(titles(range, withUpdates(Format.ATOM))).containsExactly("A1");
    }
  }
}
