package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.hosts.HostBulkhead;
import io.feedbridge.gateway.delivery.rounds.RoundPasses;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One subscriber's, host's or feed's trouble is nobody else's. */
@Timeout(300)
class IsolationTest {

  @TempDir Path data;
  private final List<AutoCloseable> others = new ArrayList<>();
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    bed = new Bed(data).started();
    feed = bed.feed(Bed.TOPIC);
  }

  @AfterEach
  void stop() throws Exception {
    bed.close();
    for (AutoCloseable other : others) {
      other.close();
    }
  }

  private <T extends AutoCloseable> T keep(T other) {
    others.add(other);
    return other;
  }

  private static List<String> callbacks(int port, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "http://127.0.0.1:" + port + "/dead" + i)
        .toList();
  }

  private List<Bed.Row> untried() {
    return bed.rows().stream().filter(row -> row.attempts() == 0).toList();
  }

  /** Turns the clock by as little as it takes for the next probe. */
  private void probe() {
    bed.timer.turn(HostBulkhead.LONGEST_PAUSE);
  }

  @Nested
  class A_dead_host {

    private static final int COUNT = 10_000;

    @Test
    void L3_ten_thousand_dead_callbacks_cost_a_few_attempts_and_then_one_at_a_time() {
      int port = FreePort.next();
      bed.subscribeAll(feed, callbacks(port, COUNT), Bed.terms(Format.ATOM, null));
      bed.subscribe(feed, "good");

      long event = bed.append(feed, "a");
      bed.until(() -> bed.sent("good").equals(List.of(event)));
      bed.awaitRound(feed, event);
      bed.until(() -> bed.rows().size() == COUNT && bed.client.inFlight() == 0);

      int tried = COUNT - untried().size();
      assertThat(tried)
          .isLessThanOrEqualTo(HostBulkhead.FIRST_SIZE + HostBulkhead.SILENCES_TO_OPEN);
      assertThat(bed.openHosts()).isEqualTo(1);
      assertThat(bed.heldBack()).isEqualTo(untried().size());
      // Held back is no attempt: no error, nothing that a retry would have to repeat.
      assertThat(untried())
          .allMatch(row -> row.sentTo() == null && !row.inFlight() && row.next() != null);

      for (int i = 1; i <= 3; i++) {
        int probes = i;
        probe();
        bed.until(() -> COUNT - untried().size() == tried + probes);
      }
      long second = bed.append(feed, "b");
      bed.until(() -> bed.sent("good").equals(List.of(event, second)));
      bed.awaitRound(feed, second);
      assertThat(COUNT - untried().size()).isEqualTo(tried + 3);
    }

    @Test
    void a_host_that_comes_back_is_served_all_that_was_held_back_in_order_as_one_document() {
      int count = 300;
      int port = FreePort.next();
      bed.subscribeAll(feed, callbacks(port, count), Bed.terms(Format.ATOM, null));
      List<Long> events = new ArrayList<>();
      for (String entry : List.of("a", "b", "c")) {
        events.add(bed.append(feed, entry));
        bed.awaitRound(feed, events.get(events.size() - 1));
      }
      bed.until(() -> bed.openHosts() == 1 && bed.client.inFlight() == 0);

      FakeSubscriber back = keep(FakeSubscriber.on(port));
      bed.until(
          () -> {
            probe();
            return bed.rows().stream().allMatch(row -> row.cursor() == events.get(2));
          });

      assertThat(bed.openHosts()).isZero();
      for (int i = 0; i < count; i++) {
        List<Long> got = back.received("dead" + i).stream().map(Bed::eventId).toList();
        // Whoever was tried has its first document repeated; the others get all in one.
        assertThat(got).isIn(List.of(events.get(2)), List.of(events.get(0), events.get(2)));
        if (got.size() == 1) {
          assertThat(back.bodies("dead" + i).get(0))
              .containsSubsequence(
                  ">a</dc:identifier>", ">b</dc:identifier>", ">c</dc:identifier>");
        }
      }
      assertThat(back.received("dead" + (count - 1))).hasSize(1);
    }

    @Test
    void L5_one_that_was_held_back_and_served_rejoins_the_round() {
      int port = FreePort.next();
      bed.subscribeAll(feed, callbacks(port, 20), Bed.terms(Format.ATOM, null));
      long first = bed.append(feed, "a");
      bed.awaitRound(feed, first);
      bed.until(() -> bed.openHosts() == 1);
      FakeSubscriber back = keep(FakeSubscriber.on(port));
      bed.until(
          () -> {
            probe();
            return bed.rows().stream().allMatch(row -> row.cursor() == first);
          });

      List<Long> recipients = new CopyOnWriteArrayList<>();
      bed.hooks.on(
          "Rounds.recipients",
          (arguments, call) -> {
            Object page = call.run();
            recipients.addAll(((Rounds.Stretch) page).recipients());
            return page;
          });
      long second = bed.append(feed, "b");
      bed.awaitRound(feed, second);

      assertThat(recipients).hasSize(20);
      bed.until(
          () ->
              IntStream.range(0, 20)
                  .allMatch(
                      i ->
                          back.received("dead" + i).stream()
                              .map(Bed::eventId)
                              .toList()
                              .equals(List.of(first, second))));
    }

    @Test
    void an_error_status_is_an_answer_and_opens_nothing() {
      for (int i = 0; i < 20; i++) {
        bed.subscriber.answer("bad" + i, 500);
        bed.subscribe(feed, "bad" + i);
      }

      long event = bed.append(feed, "a");
      bed.awaitRound(feed, event);
      bed.until(() -> bed.rows().stream().allMatch(row -> row.attempts() == 1));

      assertThat(bed.rows()).hasSize(20);
      assertThat(bed.openHosts()).isZero();
    }
  }

  @Nested
  class Huge_feeds {

    private static final int PAGES = 200;

    @Test
    void L3_a_feed_with_three_subscribers_is_served_while_more_huge_ones_are_walked_than_can_be() {
      int huge = RoundPasses.MAX_TURNS + 1;
      FakeSubscriber crowd = keep(new FakeSubscriber());
      List<Long> feeds = new ArrayList<>();
      for (int i = 0; i < huge; i++) {
        long one = bed.feed("https://feeds.example/huge" + i);
        bed.subscribeAll(
            one, bed.callbacks(crowd, "huge" + i + "-", PAGES), Bed.terms(Format.ATOM, null));
        feeds.add(one);
      }
      for (int i = 0; i < 3; i++) {
        bed.subscribe(feed, "s" + i);
      }
      CountDownLatch walking = new CountDownLatch(RoundPasses.MAX_TURNS);
      CompletableFuture<Void> smallIsDue = new CompletableFuture<>();
      AtomicInteger endedBefore = new AtomicInteger(-1);
      AtomicInteger ended = new AtomicInteger();
      bed.hooks.on(
          "Rounds.due",
          (arguments, call) -> {
            Object due = call.run();
            if (((List<?>) due).stream().anyMatch(one -> ((Rounds.Due) one).feedId() == feed)) {
              smallIsDue.complete(null);
            }
            return due;
          });
      bed.hooks.on(
          "Rounds.recipients",
          (arguments, call) -> {
            if (arguments[0].equals(feed)) {
              endedBefore.compareAndSet(-1, ended.get());
              return call.run();
            }
            // Each page is one subscriber, so that it takes a while whatever the machine.
            arguments[3] = 1;
            walking.countDown();
            // Every thread is at a huge feed when the small one becomes due.
            smallIsDue.join();
            Object page = call.run();
            if (((Rounds.Stretch) page).recipients().isEmpty()) {
              ended.incrementAndGet();
            }
            return page;
          });
      List<Long> heads = feeds.stream().map(one -> bed.append(one, "x")).toList();
      bed.until(() -> walking.getCount() == 0);

      long event = bed.append(feed, "a");

      for (int i = 0; i < 3; i++) {
        String path = "s" + i;
        bed.until(() -> bed.sent(path).equals(List.of(event)));
      }
      assertThat(endedBefore).hasValue(0);
      for (int i = 0; i < huge; i++) {
        bed.awaitRoundOf(feeds.get(i), heads.get(i));
      }
      // L2, L4: in many turns, each subscriber was served, and once.
      for (int i = 0; i < huge; i++) {
        for (int n = 0; n < PAGES; n++) {
          String path = "huge" + i + "-" + n;
          bed.until(() -> crowd.received(path).size() == 1);
        }
      }
    }
  }

  @Nested
  class Restart {

    @Test
    void L16_after_a_start_a_host_is_served_what_it_missed_in_a_window_that_grows() {
      int count = 200;
      List<String> paths = IntStream.range(0, count).mapToObj(i -> "s" + i).toList();
      paths.forEach(path -> bed.subscriber.answer(path, 500));
      bed.subscribeAll(
          feed, bed.callbacks(bed.subscriber, "s", count), Bed.terms(Format.ATOM, null));
      long event = bed.append(feed, "a");
      bed.awaitRound(feed, event);
      bed.until(() -> bed.rows().stream().allMatch(row -> row.attempts() == 1));
      CompletableFuture<Response> gate = new CompletableFuture<>();
      paths.forEach(path -> bed.subscriber.answer(path, request -> gate));
      Bed after = keep(bed.afterStop(Duration.ofHours(3)));

      after.started();

      after.until(
          () -> after.rows().stream().filter(Bed.Row::inFlight).count() == HostBulkhead.FIRST_SIZE);
      after.until(() -> after.client.inFlight() == HostBulkhead.FIRST_SIZE);
      gate.complete(Response.noContent());
      after.until(() -> after.rows().stream().allMatch(row -> row.cursor() == event));
      assertThat(after.rows()).hasSize(count);
    }
  }

  @Test
  void room_at_a_dead_host_is_not_looked_for_again_and_again() {
    int port = FreePort.next();
    bed.subscribeAll(feed, callbacks(port, 50), Bed.terms(Format.ATOM, null));
    bed.awaitRound(feed, bed.append(feed, "a"));
    bed.until(() -> bed.openHosts() == 1 && bed.client.inFlight() == 0);
    List<Object> looks = new CopyOnWriteArrayList<>();
    bed.hooks.on(
        "Laggards.next",
        (arguments, call) -> {
          looks.add(arguments[0]);
          return call.run();
        });

    long other = bed.feed("https://feeds.example/other");
    bed.subscribe(other, "other");
    for (int i = 0; i < 5; i++) {
      bed.awaitRoundOf(other, bed.append(other, "x" + i));
    }

    assertThat(looks)
        .doesNotContain("http://127.0.0.1:" + port)
        .doesNotContain("127.0.0.1:" + port);
  }
}
