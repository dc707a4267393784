package io.feedbridge.gateway.delivery.laggards;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.Bed;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a subscriber gets, in each format, of what it missed. */
class CatchUpDocumentsTest {

  @TempDir Path data;
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    bed = new Bed(data).started();
    feed = bed.feed(Bed.TOPIC);
  }

  @AfterEach
  void stop() {
    bed.close();
  }

  private static Terms terms(Format format, boolean updates) {
    return new Terms(Bed.TOPIC, format, null, "sha256", updates, false, Duration.ofDays(10));
  }

  /** A subscriber that is down from the first event on, which it never gets through a round. */
  private long down(Format format, boolean updates) {
    bed.subscriber.answer("away", 500);
    return bed.subscribe(feed, bed.subscriber.url("away"), terms(format, updates));
  }

  /** Appends; the round over it has ended. */
  private long missed(Update update) {
    long event = bed.append(feed, update);
    bed.awaitRound(feed, event);
    return event;
  }

  private static Update entries(int from, int count) {
    return Bed.fresh(
        IntStream.range(from, from + count).mapToObj(i -> "e" + i).toArray(String[]::new));
  }

  private static Update changed(String... entryIds) {
    List<Entry> changed = Bed.fresh(entryIds).feed().entries();
    return new Update(Bed.fresh().feed(), changed, Status.of(Bed.TOPIC), false);
  }

  private static Update bytes() {
    return new Update(Bed.fresh().feed(), List.of(), Status.of(Bed.TOPIC), true);
  }

  /** It is up again, and its back-off is over. */
  private void comesBack(long id) {
    bed.until(() -> bed.attempts(id) > 0);
    bed.subscriber.answer("away", 204);
    bed.timer.turn(Duration.ofHours(2));
  }

  private void awaitCursor(long id, long event) {
    bed.until(() -> bed.row(id).cursor() == event && !bed.row(id).inFlight());
  }

  private List<Request> received() {
    return bed.subscriber.received("away");
  }

  private static List<String> ids(Request request) {
    List<String> ids = new ArrayList<>();
    java.util.regex.Matcher id =
        java.util.regex.Pattern.compile(">(e[0-9]+)</dc:identifier>|\"id\":\"(e[0-9]+)\"")
            .matcher(Bed.body(request));
    while (id.find()) {
      ids.add(id.group(1) == null ? id.group(2) : id.group(1));
    }
    return ids;
  }

  private static List<String> ids(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "e" + i).toList();
  }

  @Nested
  class Entries {

    @ParameterizedTest
    @EnumSource(names = {"ATOM", "JSON"})
    void fifty_events_are_one_document_and_then_it_lives_on_with_the_others(Format format) {
      bed.subscribe(feed, "other");
      long id = down(format, false);
      long first = missed(entries(0, 1));
      long last = 0;
      for (int i = 1; i <= 50; i++) {
        last = bed.append(feed, entries(i, 1));
      }
      bed.awaitRound(feed, last);

      comesBack(id);
      awaitCursor(id, last);
      long next = missed(entries(51, 1));
      long afterNext = missed(entries(52, 1));

      assertThat(bed.sent("away")).containsExactly(first, first, last, next, afterNext);
      assertThat(ids(received().get(1))).containsExactly("e0");
      assertThat(ids(received().get(2))).containsExactlyElementsOf(ids(1, 51));
      assertThat(ids(received().get(3))).containsExactly("e51");
      assertThat(bed.sent("other")).endsWith(next, afterNext);
      assertThat(bed.rows()).isEmpty();
    }

    @Test
    void beyond_the_bound_they_are_several_documents_in_order() {
      long id = down(Format.ATOM, false);
      missed(entries(0, 1));
      long last = 0;
      for (int i = 0; i < 6; i++) {
        last = missed(entries(1 + i * 45, 45));
      }

      comesBack(id);
      awaitCursor(id, last);

      assertThat(received()).hasSize(5);
      assertThat(ids(received().get(2))).containsExactlyElementsOf(ids(1, 91));
      assertThat(ids(received().get(3))).containsExactlyElementsOf(ids(91, 181));
      assertThat(ids(received().get(4))).containsExactlyElementsOf(ids(181, 271));
      assertThat(bed.sent("away")).isSorted();
    }

    @Test
    void an_event_longer_than_a_document_is_one_of_its_own() {
      long id = down(Format.ATOM, false);
      missed(entries(0, 1));
      missed(entries(1, 1));
      missed(
          new Update(
              Bed.fresh()
                  .feed()
                  .withEntries(List.of(Bed.entry("e2", "x".repeat(Document.MAX_BYTES + 1)))),
              List.of(),
              Status.of(Bed.TOPIC),
              false));
      long last = missed(entries(3, 2));

      comesBack(id);
      awaitCursor(id, last);

      assertThat(received().subList(2, 5))
          .extracting(CatchUpDocumentsTest::ids)
          .containsExactly(List.of("e1"), List.of("e2"), List.of("e3", "e4"));
    }

    @Test
    void what_is_no_news_moves_the_cursor_without_a_request() {
      long id = down(Format.ATOM, false);
      missed(entries(0, 1));
      missed(changed("e0"));
      long last = missed(bytes());

      comesBack(id);
      awaitCursor(id, last);

      assertThat(received()).extracting(CatchUpDocumentsTest::ids).containsOnly(List.of("e0"));
      assertThat(received()).hasSize(2);
      assertThat(bed.row(id).next()).isNull();
    }

    @Test
    void changed_entries_are_there_for_who_asked_for_updates_each_once() {
      long id = down(Format.JSON, true);
      missed(entries(0, 1));
      missed(changed("e7"));
      missed(entries(8, 1));
      missed(changed("e7", "e9"));
      long last = missed(changed("e9"));

      comesBack(id);
      awaitCursor(id, last);

      assertThat(ids(received().get(2))).containsExactly("e8", "e7", "e9");
    }

    @Test
    void feed_fields_and_status_are_those_of_the_newest_event_in_the_document() {
      long id = down(Format.JSON, false);
      missed(entries(0, 1));
      missed(titled("old", 1, 90));
      long last = missed(titled("new", 91, 90));

      comesBack(id);
      awaitCursor(id, last);

      assertThat(Bed.body(received().get(2)))
          .contains("\"title\":\"old\"", "\"http\":\"fetched: old\"")
          .doesNotContain("\"title\":\"new\"");
      assertThat(Bed.body(received().get(3)))
          .contains("\"title\":\"new\"", "\"http\":\"fetched: new\"");
    }

    private Update titled(String title, int from, int count) {
      return new Update(
          Feed.bare(Bed.TOPIC, title).withEntries(entries(from, count).feed().entries()),
          List.of(),
          new Status(
              Bed.TOPIC,
              title,
              200,
              "fetched: " + title,
              null,
              null,
              null,
              null,
              null,
              null,
              null,
              null,
              null,
              null),
          false);
    }

    @ParameterizedTest
    @EnumSource(names = {"ATOM", "JSON"})
    void L12_a_retry_is_byte_for_byte_the_same_whatever_became_of_the_feed_since(Format format) {
      long id = down(format, true);
      long first = missed(titled("old", 0, 3));
      // Another title, other versions of the same entries, more of them; and much later.
      missed(titled("new", 3, 3));
      missed(changed("e0", "e1"));
      bed.until(() -> bed.attempts(id) == 1);
      bed.timer.turn(Duration.ofHours(5));
      bed.until(() -> bed.attempts(id) == 2);

      assertThat(bed.sent("away")).containsExactly(first, first);
      assertThat(received().get(1).body()).isEqualTo(received().get(0).body());
      assertThat(received().get(1).header("Content-Type"))
          .isEqualTo(received().get(0).header("Content-Type"));
    }
  }

  @Nested
  class Bytes {

    private long fetched(String body, boolean bytesChanged, Update update) {
      Update with = new Update(update.feed(), update.changed(), update.status(), bytesChanged);
      OutcomeBuilder outcome =
          OutcomeBuilder.of(bed.store.feeds().byId(feed).orElseThrow(), bed.timer.now())
              .event(with)
              .body(body);
      long event = Bed.done(bed.store.feeds().record(outcome.build())).get(0);
      bed.awaitRound(feed, event);
      return event;
    }

    @Test
    void the_newest_are_sent_once_however_many_documents_the_entries_would_be() {
      long id = down(Format.RAW, false);
      long first = fetched("version 0", true, entries(0, 1));
      long last = 0;
      for (int i = 1; i <= 4; i++) {
        last = fetched("version " + i, true, entries(i * 100, 90));
      }

      comesBack(id);
      awaitCursor(id, last);

      assertThat(bed.sent("away")).containsExactly(first, first, last);
      assertThat(Bed.body(received().get(2))).isEqualTo("version 4");
      long next = fetched("version 5", true, entries(1000, 1));
      assertThat(bed.sent("away")).endsWith(next);
      assertThat(received()).hasSize(4);
    }

    @Test
    void they_are_news_wherever_in_the_range_they_changed() {
      long id = down(Format.RAW, false);
      fetched("version 0", true, entries(0, 1));
      fetched("version 0", false, entries(100, 90));
      fetched("version 1", true, entries(200, 90));
      long last = fetched("version 1", false, entries(300, 90));

      comesBack(id);
      awaitCursor(id, last);

      assertThat(bed.sent("away")).hasSize(3).endsWith(last);
    }

    @Test
    void where_they_never_changed_nothing_is_sent() {
      long id = down(Format.RAW, false);
      fetched("version 0", true, entries(0, 1));
      fetched("version 0", false, entries(100, 90));
      long last = fetched("version 0", false, entries(300, 90));

      comesBack(id);
      awaitCursor(id, last);

      assertThat(received()).hasSize(2);
    }

    @Test
    void L7_after_a_renewal_that_asks_for_entries_the_document_is_within_its_bounds() {
      long id = down(Format.RAW, false);
      long first = fetched("version 0", true, entries(0, 1));
      bed.until(() -> bed.attempts(id) == 1);
      long last = 0;
      for (int i = 0; i < 3; i++) {
        last = fetched("version 1", true, entries(1 + i * 90, 90));
      }
      // It takes the first document, and fails the one that stands for all the rest.
      CompletableFuture<Response> gate = bed.gate("away");
      bed.timer.turn(Duration.ofSeconds(5));
      bed.until(() -> bed.sent("away").size() == 2);
      bed.subscriber.answer("away", 500);
      gate.complete(Response.noContent());
      long head = last;
      bed.until(() -> head == sentTo(id));
      bed.subscribe(feed, bed.subscriber.url("away"), terms(Format.ATOM, false));

      comesBack(id);
      awaitCursor(id, last);

      assertThat(bed.sent("away").get(1)).isEqualTo(first);
      assertThat(received().subList(3, 6))
          .extracting(CatchUpDocumentsTest::ids)
          .containsExactly(ids(1, 91), ids(91, 181), ids(181, 271));
    }

    private long sentTo(long id) {
      Bed.Row row = bed.row(id);
      return row.attempts() == 0 || row.sentTo() == null ? 0 : row.sentTo();
    }
  }

  @Nested
  class Notices {

    @Test
    void a_status_alone_is_none() {
      long id = down(Format.LIGHT, false);
      Update status = Update.ofStatus(Bed.fresh().feed().withEntries(List.of()), STATUS);
      long change = bed.append(feed, entries(0, 1));
      bed.awaitRound(feed, change);
      long last = bed.append(feed, status);
      bed.awaitRound(feed, last);

      comesBack(id);
      awaitCursor(id, last);
      long next = bed.append(feed, status);
      bed.awaitRound(feed, next);

      assertThat(bed.sent("away")).containsExactly(change, change);
    }

    private static final Status STATUS = Status.of(Bed.TOPIC);

    @Test
    void one_notification_stands_for_all_that_was_missed() {
      bed.subscriber.answer("cloud", 500);
      long id = bed.register(feed, "cloud");
      long first = missed(entries(0, 1));
      bed.until(() -> bed.attempts(id) == 1);
      long last = 0;
      for (int i = 0; i < 5; i++) {
        last = missed(entries(1 + i * 90, 90));
      }

      bed.subscriber.answer("cloud", 204);
      bed.timer.turn(Duration.ofSeconds(6));
      awaitCursor(id, last);

      assertThat(bed.sent("cloud")).containsExactly(first, first, last);
      assertThat(bed.row(id).next()).isNull();
    }
  }
}
