package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.subscriptions.Format;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Past notifications that are delivered again: a cursor that is moved back. */
class ReplaysTest {

  @TempDir private Path folder;
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    bed = new Bed(folder.resolve("data")).started();
    feed = bed.feed(Bed.TOPIC);
  }

  @AfterEach
  void stop() {
    bed.close();
  }

  private long append(String entry) {
    long event = bed.append(feed, entry);
    bed.awaitRound(feed, event);
    return event;
  }

  private void awaitSent(String path, Long... events) {
    bed.until(() -> bed.sent(path).size() >= events.length);
    assertThat(bed.sent(path)).containsExactly(events);
  }

  @Test
  void each_is_a_notification_of_its_own_under_its_own_id_and_then_the_rounds_go_on() {
    long one = bed.subscribe(feed, "one");
    long a = append("a");
    long b = append("b");
    long c = append("c");
    awaitSent("one", a, b, c);

    bed.replay(one, 2);

    awaitSent("one", a, b, c, b, c);
    assertThat(Bed.body(bed.subscriber.received("one").get(3)))
        .isEqualTo(Bed.body(bed.subscriber.received("one").get(1)));
    // Until its last answer is written an event would be brought to it outside the round, and its
    // row would wait for the next one.
    bed.until(() -> bed.row(one).next() == null && !bed.row(one).inFlight());
    long d = append("d");
    awaitSent("one", a, b, c, b, c, d);
    bed.until(() -> bed.rows().isEmpty());
  }

  @Test
  void there_are_no_more_than_the_log_has_also_of_the_time_before_the_subscription() {
    long a = append("a");
    long b = append("b");
    long one = bed.subscribe(feed, "one");
    bed.replay(one, 50);
    awaitSent("one", a, b);

    long other = bed.subscribe(bed.feed(Bed.TOPIC + "?2"), "other");
    bed.replay(other, 5);
    assertThat(bed.sent("other")).isEmpty();
    assertThat(bed.rows()).noneMatch(row -> row.subscription() == other);
  }

  @Test
  void L2_it_waits_for_the_request_of_an_open_round() {
    long one = bed.subscribe(feed, "one");
    bed.subscribe(feed, "two");
    long a = append("a");
    awaitSent("one", a);
    CompletableFuture<Response> gate = bed.gate("one");
    long b = bed.append(feed, "b");
    bed.until(() -> bed.sent("one").size() == 2);

    bed.replay(one, 2);

    bed.until(() -> bed.sent("two").size() == 2);
    assertThat(bed.sent("one")).as("one request at a time").containsExactly(a, b);
    gate.complete(Response.noContent());
    awaitSent("one", a, b, a, b);
  }

  @Test
  void L12_a_laggard_gets_what_it_missed_first_and_then_what_it_asked_for() {
    long one = bed.subscribe(feed, "one");
    long a = append("a");
    awaitSent("one", a);
    bed.subscriber.answer("one", 500);
    long b = append("b");
    bed.until(() -> bed.attempts(one) == 1);

    bed.replay(one, 1);
    bed.subscriber.answer("one", 204);
    bed.timer.turn(Duration.ofMinutes(1));

    awaitSent("one", a, b, b, b);
  }

  @Test
  void L16_it_survives_a_crash_in_the_middle_and_while_it_waits() {
    long one = bed.subscribe(feed, "one");
    long two = bed.subscribe(feed, "two");
    long a = append("a");
    long b = append("b");
    awaitSent("one", a, b);
    awaitSent("two", a, b);
    CompletableFuture<Response> first = bed.gate("one");
    CompletableFuture<Response> second = bed.gate("two");
    bed.replay(one, 2);
    bed.until(() -> bed.sent("one").size() == 3);
    long c = bed.append(feed, "c");
    bed.until(() -> bed.sent("two").size() == 3);
    bed.replay(two, 2);

    try (Bed after = bed.afterCrash(folder.resolve("copy"))) {
      first.complete(Response.text(503, "dead"));
      second.complete(Response.text(503, "dead"));
      bed.subscriber.answer("one", 204);
      bed.subscriber.answer("two", 204);
      int seen = bed.sent("one").size();
      after.started();
      after.timer.turn(Duration.ofMinutes(1));
      after.until(() -> bed.sent("one").size() >= seen + 3);
      assertThat(bed.sent("one").subList(seen, seen + 3)).containsExactly(a, b, c);
      after.until(() -> bed.sent("two").stream().filter(event -> event == b).count() == 2);
    }
  }

  @Test
  void L13_what_is_old_is_replayed_all_the_same_and_is_no_gap() {
    long one = bed.subscribe(feed, "one");
    long a = append("a");
    long b = append("b");
    awaitSent("one", a, b);
    bed.timer.turn(Duration.ofHours(80));

    bed.replay(one, 2);

    awaitSent("one", a, b, a, b);
    assertThat(bed.store.laggards().gaps(one, 10)).isEmpty();
  }

  @Test
  void who_gets_the_topics_own_bytes_gets_the_newest_once() {
    long content = bed.content("https://pages.example/");
    long one = bed.subscribe(content, bed.subscriber.url("one"), Bed.terms(Format.RAW, null));

    bed.replay(one, 10);

    assertThat(bed.sent("one")).as("there were none").isEmpty();
  }
}
