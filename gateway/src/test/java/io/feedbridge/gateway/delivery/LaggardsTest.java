package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.laggards.CatchUp;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.websub.Signature;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to whoever does not answer in time, or not well. */
class LaggardsTest {

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

  /** A subscriber that answers each delivery when the test says so, with what it says. */
  private final class Stepwise {
    private final Deque<CompletableFuture<Response>> open = new ArrayDeque<>();
    private final String path;
    private int arrived;

    Stepwise(String path) {
      this.path = path;
      bed.subscriber.answer(path, request -> arrive());
    }

    private synchronized CompletableFuture<Response> arrive() {
      CompletableFuture<Response> gate = new CompletableFuture<>();
      open.add(gate);
      arrived++;
      return gate;
    }

    synchronized int arrived() {
      return arrived;
    }

    synchronized int unanswered() {
      return open.size();
    }

    /** Answers the oldest unanswered delivery, which arrives sooner or later. */
    void answer(Response response) {
      bed.until(() -> unanswered() > 0);
      CompletableFuture<Response> gate;
      synchronized (this) {
        gate = open.remove();
      }
      gate.complete(response);
    }

    List<Long> sent() {
      return bed.sent(path);
    }
  }

  /** The subscriptions that rounds come to from now on. */
  private List<Long> recipients() {
    List<Long> ids = new CopyOnWriteArrayList<>();
    bed.hooks.on(
        "Rounds.recipients",
        (arguments, call) -> {
          Object page = call.run();
          ids.addAll(((Rounds.Stretch) page).recipients());
          return page;
        });
    return ids;
  }

  private static Response unavailable(int seconds) {
    return Response.text(503, "later").withHeader("Retry-After", Integer.toString(seconds));
  }

  @Nested
  class L2_one_request_in_flight {

    @Test
    void L2_rounds_and_catch_up_never_have_two_requests_to_one_subscriber_under_way() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      bed.subscribe(feed, "quick");
      List<Long> events = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        events.add(bed.append(feed, "entry" + i));
        bed.awaitRound(feed, events.get(i));
        assertThat(slow.arrived()).isEqualTo(1);
        assertThat(bed.row(id).inFlight()).isTrue();
      }
      bed.timer.turn(Duration.ofDays(1));

      slow.answer(Response.noContent());
      bed.until(() -> slow.arrived() == 2);
      assertThat(slow.unanswered()).isEqualTo(1);
      long last = bed.append(feed, "last");
      bed.awaitRound(feed, last);
      assertThat(slow.arrived()).isEqualTo(2);
      slow.answer(Response.noContent());
      slow.answer(Response.noContent());
      bed.until(() -> bed.row(id).cursor() == last);

      assertThat(slow.sent()).containsExactly(events.get(0), events.get(3), last);
    }

    @Test
    void L2_a_retry_under_way_is_left_alone_by_later_rounds() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      long first = bed.append(feed, "a");
      slow.answer(Response.text(500, "no"));
      bed.until(() -> bed.rows().size() == 1);
      bed.timer.turn(Duration.ofSeconds(5));
      bed.until(() -> slow.arrived() == 2);

      long second = bed.append(feed, "b");
      bed.awaitRound(feed, second);

      assertThat(slow.sent()).containsExactly(first, first);
      assertThat(bed.row(id).inFlight()).isTrue();
    }
  }

  @Nested
  class L3_no_waiting {

    @Test
    void L3_a_hanging_subscriber_gets_a_row_and_the_others_get_the_next_event() {
      CompletableFuture<Response> gate = bed.gate("hangs");
      long hangs = bed.subscribe(feed, "hangs");
      bed.subscribe(feed, "other");

      long first = bed.append(feed, "a");
      bed.awaitRound(feed, first);
      assertThat(bed.row(hangs)).isEqualTo(new Bed.Row(hangs, 0, first, 0, Bed.START, true));

      long second = bed.append(feed, "b");
      bed.until(() -> bed.sent("other").size() == 2);
      bed.awaitRound(feed, second);
      bed.timer.turn(Duration.ofDays(2));
      assertThat(bed.store.laggards().hosts("", 10)).isEmpty();
      assertThat(bed.sent("hangs")).containsExactly(first);

      gate.complete(Response.noContent());
      bed.until(() -> bed.sent("hangs").size() == 2);
      assertThat(bed.sent("hangs")).containsExactly(first, second);
      assertThat(bed.sent("other")).containsExactly(first, second);
    }

    @Test
    void L3_whoever_waits_for_a_full_host_gets_a_row_that_is_due_at_once() {
      bed.close();
      bed = new Bed(data.resolve("narrow"), 2).started();
      feed = bed.feed(Bed.TOPIC);
      List<CompletableFuture<Response>> gates = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        gates.add(bed.gate("s" + i));
        bed.subscribe(feed, "s" + i);
      }

      long event = bed.append(feed, "a");
      bed.awaitRound(feed, event);

      assertThat(bed.rows())
          .extracting(Bed.Row::inFlight)
          .containsExactly(true, true, false, false);
      assertThat(bed.rows().get(2).sentTo()).isNull();
      gates.forEach(gate -> gate.complete(Response.noContent()));
      for (int i = 0; i < 4; i++) {
        String path = "s" + i;
        bed.until(() -> bed.sent(path).equals(List.of(event)));
      }
      bed.until(() -> bed.rows().stream().allMatch(row -> row.cursor() == event));
    }
  }

  @Nested
  class L5_leaving_and_rejoining {

    @Test
    void L5_a_recovered_laggard_is_served_at_once_and_rejoins_with_the_next_round() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      bed.subscribe(feed, "other");
      long first = bed.append(feed, "a");
      bed.awaitRound(feed, first);
      long second = bed.append(feed, "b");
      bed.awaitRound(feed, second);

      slow.answer(Response.noContent());
      slow.answer(Response.noContent());
      bed.until(() -> bed.row(id).cursor() == second);
      // It has everything, and still its row: only a round's opening takes it back.
      assertThat(bed.row(id)).isEqualTo(new Bed.Row(id, second, null, 0, null, false));
      assertThat(slow.sent()).containsExactly(first, second);

      List<Long> recipients = recipients();
      long third = bed.append(feed, "c");
      slow.answer(Response.noContent());
      bed.awaitRound(feed, third);

      assertThat(recipients).contains(id);
      assertThat(slow.sent()).containsExactly(first, second, third);
      assertThat(bed.sent("other")).containsExactly(first, second, third);
    }

    @Test
    void L5_a_laggard_that_overtook_a_slow_round_is_served_by_no_round_twice() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      long first = bed.append(feed, "a");
      bed.awaitRound(feed, first);
      CompletableFuture<Void> release = holdClose();
      long second = bed.append(feed, "b");
      bed.until(() -> !bed.checkpoints().isEmpty());
      long third = bed.append(feed, "c");

      slow.answer(Response.noContent());
      slow.answer(Response.noContent());
      bed.until(() -> bed.row(id).cursor() == third);
      release.complete(null);
      bed.awaitRound(feed, third);
      List<Long> recipients = recipients();
      long fourth = bed.append(feed, "d");
      slow.answer(Response.noContent());
      bed.awaitRound(feed, fourth);

      assertThat(slow.sent()).containsExactly(first, third, fourth);
      assertThat(second).isLessThan(third);
      assertThat(recipients).contains(id);
    }

    @Test
    void L5_a_document_that_failed_is_not_forgotten_when_the_next_round_begins_at_its_cursor() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      long first = bed.append(feed, "a");
      bed.awaitRound(feed, first);
      CompletableFuture<Void> release = holdClose();
      long second = bed.append(feed, "b");
      bed.until(() -> !bed.checkpoints().isEmpty());
      slow.answer(Response.noContent());
      bed.until(() -> slow.arrived() == 2);
      long third = bed.append(feed, "c");
      // It has the second while the round over it is still open, and refuses the third.
      slow.answer(Response.noContent());
      slow.answer(unavailable(3600));
      bed.until(() -> bed.row(id).attempts() == 1);
      assertThat(bed.row(id).cursor()).isEqualTo(second);

      release.complete(null);
      bed.awaitRound(feed, third);
      long fourth = bed.append(feed, "d");
      bed.awaitRound(feed, fourth);

      assertThat(slow.sent()).containsExactly(first, second, third);
      bed.timer.turn(Duration.ofHours(1));
      slow.answer(Response.noContent());
      slow.answer(Response.noContent());
      bed.until(() -> bed.row(id).cursor() == fourth);
      assertThat(slow.sent()).containsExactly(first, second, third, third, fourth);
    }

    /** Rounds stay open until this completes. */
    private CompletableFuture<Void> holdClose() {
      CompletableFuture<Void> release = new CompletableFuture<>();
      bed.hooks.on(
          "Rounds.close",
          (arguments, call) -> {
            release.join();
            return call.run();
          });
      return release;
    }
  }

  @Nested
  class L7_renewals_and_ends {

    @Test
    void
        L7_a_renewal_while_a_delivery_fails_keeps_the_cursor_and_brings_its_own_secret_and_format() {
      Stepwise slow = new Stepwise("slow");
      String callback = bed.subscriber.url("slow");
      long id = bed.subscribe(feed, callback, Bed.terms(Format.ATOM, "old secret"));
      long first = bed.append(feed, "a");
      slow.answer(Response.text(500, "no"));
      bed.until(() -> bed.rows().size() == 1);

      assertThat(bed.subscribe(feed, callback, Bed.terms(Format.JSON, "new secret"))).isEqualTo(id);
      bed.timer.turn(Duration.ofSeconds(5));
      slow.answer(Response.noContent());
      bed.until(() -> bed.row(id).cursor() == first);

      Request before = bed.subscriber.received("slow").get(0);
      Request after = bed.subscriber.received("slow").get(1);
      assertThat(Bed.eventId(after)).isEqualTo(Bed.eventId(before));
      assertThat(after.header("Content-Type")).hasValue("application/json; charset=utf-8");
      assertThat(signedWith("old secret", before)).isTrue();
      assertThat(signedWith("new secret", after)).isTrue();
    }

    @Test
    void L7_a_renewal_between_the_opening_of_a_round_and_its_walk_is_seen_by_it() {
      String callback = bed.subscriber.url("one");
      bed.subscribe(feed, callback, Bed.terms(Format.ATOM, "old secret"));
      bed.hooks.on(
          "Rounds.recipients",
          (arguments, call) -> {
            bed.subscribe(feed, callback, Bed.terms(Format.ATOM, "new secret"));
            return call.run();
          });

      bed.append(feed, "a");
      bed.until(() -> bed.sent("one").size() == 1);

      assertThat(signedWith("new secret", bed.subscriber.received("one").get(0))).isTrue();
    }

    @Test
    void L7_the_outcome_of_an_ended_subscription_changes_nothing() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      bed.append(feed, "a");
      bed.until(() -> slow.arrived() == 1);
      Bed.done(bed.store.subscriptions().end(id, "gone", bed.timer.now()));
      long again = bed.subscribe(feed, "slow");
      assertThat(again).isNotEqualTo(id);

      slow.answer(Response.text(410, "gone"));
      long second = bed.append(feed, "b");
      bed.until(() -> slow.arrived() == 2);
      slow.answer(Response.noContent());
      bed.awaitRound(feed, second);

      assertThat(bed.store.subscriptions().byId(again)).isPresent();
      assertThat(bed.rows()).extracting(Bed.Row::subscription).doesNotContain(id);
    }

    @Test
    void L7_a_failure_after_the_end_leaves_no_row() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      long first = bed.append(feed, "a");
      bed.until(() -> slow.arrived() == 1);
      Bed.done(bed.store.subscriptions().end(id, "gone", bed.timer.now()));

      slow.answer(Response.text(500, "no"));
      bed.awaitRound(feed, first);

      assertThat(bed.rows()).isEmpty();
    }

    @Test
    void L7_the_end_of_a_laggard_in_flight_takes_its_row_along() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      long first = bed.append(feed, "a");
      bed.awaitRound(feed, first);
      Bed.done(bed.store.subscriptions().end(id, "gone", bed.timer.now()));

      slow.answer(Response.text(500, "no"));
      long second = bed.append(feed, "b");
      bed.awaitRound(feed, second);

      assertThat(bed.rows()).isEmpty();
      assertThat(slow.sent()).containsExactly(first);
    }

    @Test
    void H13_410_ends_the_subscription_in_a_round_and_in_catch_up() {
      bed.subscriber.answer("gone", 410);
      Stepwise slow = new Stepwise("slow");
      long gone = bed.subscribe(feed, "gone");
      long late = bed.subscribe(feed, "slow");
      bed.append(feed, "a");
      slow.answer(Response.text(500, "no"));
      bed.until(() -> bed.store.subscriptions().byId(gone).isEmpty());
      bed.until(() -> bed.rows().size() == 1);

      bed.timer.turn(Duration.ofSeconds(5));
      slow.answer(Response.text(410, "gone"));

      bed.until(() -> bed.store.subscriptions().byId(late).isEmpty());
      assertThat(bed.rows()).isEmpty();
    }

    @RepeatedTest(3)
    void a_410_to_a_subscription_as_it_was_before_its_renewal_ends_nothing() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      long first = bed.append(feed, "a");
      bed.until(() -> slow.arrived() == 1);
      bed.timer.turn(Duration.ofSeconds(1));
      bed.subscribe(feed, "slow");

      slow.answer(Response.text(410, "gone"));
      // Catch-up sends again at once, or after a pause where the round has left the subscription
      // behind before the answer.
      bed.until(
          () -> {
            bed.timer.turn(Duration.ofSeconds(1));
            return slow.arrived() == 2;
          });
      slow.answer(Response.text(500, "no"));
      bed.until(() -> bed.attempts(id) == 1);
      bed.timer.turn(Duration.ofSeconds(5));
      bed.until(() -> slow.arrived() == 3);
      bed.timer.turn(Duration.ofSeconds(1));
      bed.subscribe(feed, "slow");
      slow.answer(Response.text(410, "gone"));
      bed.until(
          () -> {
            bed.timer.turn(Duration.ofSeconds(1));
            return slow.arrived() == 4;
          });
      slow.answer(Response.noContent());
      bed.until(() -> bed.rows().stream().allMatch(row -> row.next() == null && !row.inFlight()));

      assertThat(bed.store.subscriptions().byId(id)).isPresent();
      assertThat(slow.sent()).containsExactly(first, first, first, first);
    }

    private boolean signedWith(String secret, Request request) {
      return Signature.verify(
          request.header("X-Hub-Signature").orElseThrow(), secret, request.body());
    }
  }

  @Nested
  class L12_the_same_document_again {

    @Test
    void L12_a_retry_repeats_its_range_under_its_id_and_grows_only_after_success() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      long first = bed.append(feed, "a");
      slow.answer(Response.text(500, "no"));
      bed.until(() -> bed.rows().size() == 1);
      long second = bed.append(feed, "b");
      bed.awaitRound(feed, second);

      bed.timer.turn(Duration.ofSeconds(5));
      slow.answer(Response.text(500, "no"));
      bed.until(() -> bed.row(id).attempts() == 2);
      long third = bed.append(feed, "c");
      bed.awaitRound(feed, third);
      bed.timer.turn(Duration.ofSeconds(30));
      slow.answer(Response.noContent());
      slow.answer(Response.noContent());
      bed.until(() -> bed.row(id).cursor() == third);

      assertThat(slow.sent()).containsExactly(first, first, first, third);
      List<Request> received = bed.subscriber.received("slow");
      assertThat(Bed.body(received.get(1))).isEqualTo(Bed.body(received.get(0)));
      assertThat(Bed.body(received.get(2))).isEqualTo(Bed.body(received.get(0)));
      assertThat(received.get(0).header("X-Superfeedr-Retried")).isEmpty();
      assertThat(received.get(2).header("X-Superfeedr-Retried")).hasValue("2");
      assertThat(Bed.body(received.get(3)))
          .contains(">b</dc:identifier>", ">c</dc:identifier>")
          .doesNotContain(">a</dc:identifier>");
    }
  }

  @Nested
  class Catch_up {

    @Test
    void fifty_missed_events_arrive_in_order_in_one_document_and_the_subscriber_rejoins() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      long first = bed.append(feed, "first");
      bed.awaitRound(feed, first);
      List<String> missed = IntStream.range(0, 50).mapToObj(i -> "missed" + i).toList();
      long last = 0;
      for (String entry : missed) {
        last = bed.append(feed, entry);
      }
      bed.awaitRound(feed, last);
      long to = last;

      slow.answer(Response.noContent());
      slow.answer(Response.noContent());
      bed.until(() -> bed.row(id).cursor() == to);
      List<Long> recipients = recipients();
      long next = bed.append(feed, "next");
      slow.answer(Response.noContent());
      bed.awaitRound(feed, next);

      assertThat(slow.sent()).containsExactly(first, to, next);
      assertThat(entries(1)).containsExactlyElementsOf(missed);
      assertThat(recipients).contains(id);
    }

    @Test
    void more_than_a_hundred_entries_are_several_documents() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      bed.awaitRound(feed, bed.append(feed, "first"));
      List<String> missed = new ArrayList<>();
      long last = 0;
      for (int i = 0; i < 5; i++) {
        String[] entries =
            IntStream.range(i * 30, i * 30 + 30).mapToObj(n -> "e" + n).toArray(String[]::new);
        missed.addAll(List.of(entries));
        last = bed.append(feed, entries);
      }
      long to = last;
      bed.awaitRound(feed, to);

      for (int i = 0; i < 3; i++) {
        slow.answer(Response.noContent());
      }
      bed.until(() -> bed.row(id).cursor() == to);

      assertThat(entries(1)).hasSize(90).containsExactlyElementsOf(missed.subList(0, 90));
      assertThat(entries(2)).hasSize(60).containsExactlyElementsOf(missed.subList(90, 150));
    }

    @Test
    void more_than_a_mebibyte_is_several_documents() {
      Stepwise slow = new Stepwise("slow");
      long id = bed.subscribe(feed, "slow");
      bed.awaitRound(feed, bed.append(feed, "first"));
      String half = "x".repeat(Document.MAX_BYTES / 2);
      long last = 0;
      for (String entry : List.of("a", "b", "c")) {
        last =
            bed.append(
                feed,
                new io.feedbridge.gateway.store.log.Update(
                    Bed.fresh().feed().withEntries(List.of(Bed.entry(entry, half))),
                    List.of(),
                    Bed.fresh().status(),
                    false));
      }
      long to = last;
      bed.awaitRound(feed, to);

      for (int i = 0; i < 4; i++) {
        slow.answer(Response.noContent());
      }
      bed.until(() -> bed.row(id).cursor() == to);

      assertThat(entries(1)).containsExactly("a");
      assertThat(entries(2)).containsExactly("b");
      assertThat(entries(3)).containsExactly("c");
    }

    @Test
    void those_who_miss_the_same_share_one_document() {
      int count = 100;
      List<CompletableFuture<Response>> gates = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        gates.add(bed.gate("s" + i));
      }
      bed.subscribeAll(
          feed, bed.callbacks(bed.subscriber, "s", count), Bed.terms(Format.ATOM, null));
      bed.awaitRound(feed, bed.append(feed, "first"));
      AtomicInteger reads = new AtomicInteger();
      bed.hooks.on(
          "Feeds.events",
          (arguments, call) -> {
            reads.incrementAndGet();
            return call.run();
          });
      CompletableFuture<Void> release = new CompletableFuture<>();
      bed.hooks.on(
          "Laggards.next",
          (arguments, call) -> {
            release.join();
            return call.run();
          });
      long last = bed.append(feed, "last");
      bed.awaitRound(feed, last);
      gates.forEach(gate -> gate.complete(Response.noContent()));
      bed.until(() -> bed.rows().stream().noneMatch(Bed.Row::inFlight));
      release.complete(null);
      bed.until(() -> bed.rows().stream().allMatch(row -> row.cursor() == last));

      // Two kinds: those of the first 32 who have the first entry, and the others. Each step that
      // a full host needs reads them anew.
      assertThat(reads.get()).isLessThan(count / 2);
    }

    @Test
    void large_documents_in_flight_are_bounded_in_bytes() {
      int count = (int) (CatchUp.MAX_BYTES / Document.MAX_BYTES) + 10;
      bed.close();
      bed = new Bed(data.resolve("wide"), count).started();
      feed = bed.feed(Bed.TOPIC);
      List<CompletableFuture<Response>> gates = new ArrayList<>();
      // A document that goes to several laggards counts once: each laggard follows a feed of its
      // own.
      List<Long> events = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        bed.subscriber.answer("s" + i, 500);
        long one = bed.feed(Bed.TOPIC + i);
        bed.subscribe(one, "s" + i);
        events.add(
            bed.append(
                one,
                new io.feedbridge.gateway.store.log.Update(
                    Bed.fresh()
                        .feed()
                        .withEntries(List.of(Bed.entry("a", "x".repeat(Document.MAX_BYTES)))),
                    List.of(),
                    Bed.fresh().status(),
                    false)));
      }
      bed.until(() -> bed.rows().size() == count);
      bed.until(() -> bed.rows().stream().allMatch(row -> row.attempts() == 1));
      for (int i = 0; i < count; i++) {
        gates.add(bed.gate("s" + i));
      }

      bed.timer.turn(Duration.ofSeconds(5));
      bed.until(() -> bed.client.inFlight() > 0);
      bed.until(() -> bed.rows().stream().filter(Bed.Row::inFlight).count() > 10);
      bed.timer.turn(Duration.ofSeconds(5));
      assertThat(bed.client.inFlight() * (long) Document.MAX_BYTES)
          .isLessThanOrEqualTo(CatchUp.MAX_BYTES);

      gates.forEach(gate -> gate.complete(Response.noContent()));
      bed.until(() -> bed.rows().stream().allMatch(row -> events.contains(row.cursor())));
    }

    /** The ids of the entries in one of the documents. */
    private List<String> entries(int document) {
      String body = Bed.body(bed.subscriber.received("slow").get(document));
      List<String> ids = new ArrayList<>();
      for (String part : body.substring(body.indexOf("<entry")).split("<dc:identifier[^>]*>", -1)) {
        ids.add(part.substring(0, Math.max(0, part.indexOf("</dc:identifier>"))));
      }
      return ids.subList(1, ids.size());
    }
  }

  @Nested
  class Back_off {

    @Test
    void a_wish_in_seconds_and_one_as_a_date_are_respected_up_to_a_day() {
      String date =
          java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME.format(
              Bed.START.plus(Duration.ofHours(3)).atZone(java.time.ZoneOffset.UTC));
      long seconds = refusing("seconds", "7200");
      long dated = refusing("date", date);
      long greedy = refusing("greedy", "9999999999999");

      long event = bed.append(feed, "a");
      bed.awaitRound(feed, event);

      awaitNext(seconds, Duration.ofHours(2));
      awaitNext(dated, Duration.ofHours(3));
      awaitNext(greedy, Duration.ofHours(24));
    }

    /** A slow machine leaves the first try to catch-up, which is refused in the same way. */
    private void awaitNext(long id, Duration later) {
      bed.until(() -> Bed.START.plus(later).equals(bed.row(id).next()));
    }

    private long refusing(String path, String wish) {
      bed.subscriber.answer(
          path,
          request ->
              CompletableFuture.completedFuture(
                  Response.text(429, "later").withHeader("Retry-After", wish)));
      return bed.subscribe(feed, path);
    }
  }
}
