package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.hosts.HostBulkhead;
import io.feedbridge.gateway.delivery.rounds.RoundPasses;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.subscriptions.Format;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints, and what they are good for: kill -9, a stop, a start. */
@Timeout(300)
class RestartTest {

  @TempDir Path data;
  private final List<Bed> beds = new ArrayList<>();

  /** Passes that are held, which a test that fails does not let go. */
  private final List<CompletableFuture<Void>> held = new ArrayList<>();

  private Bed keep(Bed bed) {
    beds.add(0, bed);
    return bed;
  }

  @AfterEach
  void stop() {
    held.forEach(pass -> pass.complete(null));
    beds.forEach(Bed::close);
  }

  /** Blocks the walk when it asks for the page after this many subscriptions; says when it does. */
  private CountDownLatch holdWalk(Bed bed, long afterId, CompletableFuture<Void> release) {
    held.add(release);
    CountDownLatch there = new CountDownLatch(1);
    bed.hooks.on(
        "Rounds.recipients",
        (arguments, call) -> {
          if ((Long) arguments[1] >= afterId) {
            there.countDown();
            release.join();
          }
          return call.run();
        });
    return there;
  }

  /** Keeps rounds where they are in the store, whatever the walk has done, until it is released. */
  private CompletableFuture<Void> holdProgress(Bed bed) {
    CompletableFuture<Void> release = new CompletableFuture<>();
    held.add(release);
    for (String write : List.of("Rounds.checkpoint", "Rounds.close")) {
      bed.hooks.on(
          write,
          (arguments, call) -> {
            release.join();
            return call.run();
          });
    }
    return release;
  }

  @Nested
  class L4_checkpoints {

    private record Checkpoint(long upTo, List<Long> rows) {}

    @Test
    @SuppressWarnings("unchecked")
    void L4_a_checkpoint_passes_nobody_unanswered_and_commits_with_the_rows() throws Exception {
      Bed bed = keep(new Bed(data));
      long feed = bed.feed(Bed.TOPIC);
      List<String> callbacks = bed.callbacks(bed.subscriber, "s", RoundPasses.SUBSCRIBERS * 3);
      bed.subscribeAll(feed, callbacks, Bed.terms(Format.ATOM, null));
      long fails = bed.idOf(feed, callbacks.get(100));
      long hangs = bed.idOf(feed, callbacks.get(RoundPasses.SUBSCRIBERS * 2 + 100));
      bed.subscriber.answer("s100", 500);
      CompletableFuture<Response> gate = bed.gate("s" + (RoundPasses.SUBSCRIBERS * 2 + 100));
      List<Checkpoint> checkpoints = Collections.synchronizedList(new ArrayList<>());
      bed.hooks.on(
          "Rounds.checkpoint",
          (arguments, call) -> {
            checkpoints.add(
                new Checkpoint(
                    ((Round) arguments[0]).checkpoint(),
                    ((List<Laggard>) arguments[1]).stream().map(Laggard::subscriptionId).toList()));
            return call.run();
          });
      // Before each page everybody of the pages before has answered, but the one that hangs.
      CompletableFuture<Void> release = new CompletableFuture<>();
      CountDownLatch reached = new CountDownLatch(1);
      AtomicInteger pages = new AtomicInteger();
      HookedStore.Hook page =
          (arguments, call) -> {
            int before = pages.getAndIncrement();
            if (before > 0) {
              String lastPath = "s" + (before * RoundPasses.SUBSCRIBERS - 1);
              int hanging = before > 2 ? 1 : 0;
              bed.until(() -> bed.sent(lastPath).size() == 1 && bed.client.inFlight() == hanging);
            }
            if (before == 3) {
              reached.countDown();
              release.join();
            }
            return call.run();
          };
      bed.hooks.on("Subscriptions.byIds", page);
      bed.hooks.on(
          "Rounds.recipients",
          (arguments, call) -> pages.get() == 3 ? page.call(arguments, call) : call.run());

      bed.started();
      long event = bed.append(feed, "a");
      reached.await();

      assertThat(checkpoints).allMatch(checkpoint -> checkpoint.upTo < hangs);
      assertThat(checkpoints)
          .filteredOn(checkpoint -> checkpoint.upTo >= fails)
          .first()
          .satisfies(
              first ->
                  assertThat(checkpoints.subList(0, checkpoints.indexOf(first) + 1))
                      .anyMatch(checkpoint -> checkpoint.rows.contains(fails)));
      release.complete(null);
      bed.awaitRound(feed, event);
      assertThat(bed.row(hangs).inFlight()).isTrue();
      gate.complete(Response.noContent());
    }
  }

  @Test
  @SuppressWarnings("unchecked")
  void L4_those_who_can_be_sent_nothing_are_checkpointed_page_by_page_too() throws Exception {
    Bed bed = keep(new Bed(data));
    long feed = bed.feed(Bed.TOPIC);
    List<String> unmakeable =
        bed.callbacks(bed.subscriber, "s", RoundPasses.SUBSCRIBERS + 1).stream()
            .map(callback -> callback + "\u0001")
            .toList();
    bed.subscribeAll(feed, unmakeable, Bed.terms(Format.ATOM, null));
    List<Integer> rows = Collections.synchronizedList(new ArrayList<>());
    bed.hooks.on(
        "Rounds.checkpoint",
        (arguments, call) -> {
          rows.add(((List<Laggard>) arguments[1]).size());
          return call.run();
        });

    bed.started();
    bed.awaitRound(feed, bed.append(feed, "a"));

    assertThat(rows).containsExactly(RoundPasses.SUBSCRIBERS);
  }

  @Nested
  class L16_kill_minus_nine {

    @Test
    void L16_one_that_hangs_does_not_hold_the_checkpoint_back_without_end() throws Exception {
      Bed bed = keep(new Bed(data));
      long feed = bed.feed(Bed.TOPIC);
      int count = 4_000;
      List<String> callbacks = bed.callbacks(bed.subscriber, "s", count);
      bed.subscribeAll(feed, callbacks, Bed.terms(Format.ATOM, null));
      long last = bed.idOf(feed, callbacks.get(count - 1));
      CompletableFuture<Response> gate = bed.gate("s0");
      CompletableFuture<Void> release = new CompletableFuture<>();
      CountDownLatch reached = holdWalk(bed, last, release);

      bed.started();
      long event = bed.append(feed, "a");
      reached.await();
      bed.until(() -> bed.sent("s" + (count - 1)).size() == 1);
      // The gateway that is said to be killed goes on, so what it sends from now on does not count.
      List<String> served = served(bed, count, 1);
      Bed after = keep(bed.afterCrash(data.resolve("copy")));
      int inFlight = (int) after.rows().stream().filter(Bed.Row::inFlight).count();
      after.started();
      after.awaitRound(feed, event);
      after.until(() -> bed.sent("s0").size() == 2);

      assertThat(bed.sent("s0")).containsExactly(event, event);
      List<String> doubled = served(bed, count, 2);
      doubled.retainAll(Set.copyOf(served));
      assertThat(doubled).hasSizeLessThanOrEqualTo(RoundPasses.CHECKPOINT_INTERVAL + inFlight);
      after.until(() -> served(bed, count, 1).size() == count);
      release.complete(null);
      gate.complete(Response.noContent());
    }

    /** Who of so many was sent something at least so many times. */
    private static List<String> served(Bed bed, int count, int times) {
      return IntStream.range(0, count)
          .mapToObj(n -> "s" + n)
          .filter(path -> bed.sent(path).size() >= times)
          .collect(Collectors.toCollection(ArrayList::new));
    }

    @Test
    void L16_an_open_round_and_laggards_in_flight_go_on_after_a_kill() {
      Bed bed = keep(new Bed(data)).started();
      long feed = bed.feed(Bed.TOPIC);
      long slow = bed.subscribe(feed, "slow");
      long one = bed.subscribe(feed, "one");
      CompletableFuture<Response> slowGate = bed.gate("slow");
      long first = bed.append(feed, "a");
      bed.awaitRound(feed, first);
      CompletableFuture<Void> release = holdProgress(bed);
      long second = bed.append(feed, "b");
      bed.until(() -> bed.sent("one").size() == 2 && !bed.checkpoints().isEmpty());
      assertThat(bed.row(slow).inFlight()).isTrue();

      bed.subscriber.answer("slow", 200);
      Bed after = keep(bed.afterCrash(data.resolve("copy")));
      long third = after.append(feed, "c");
      after.started();
      after.awaitRound(feed, third);
      after.until(() -> bed.sent("slow").contains(third));

      // The request that was cut off is repeated as it was, then comes what was missed.
      assertThat(bed.sent("slow").subList(0, 2)).containsExactly(first, first);
      assertThat(bed.sent("slow")).isSorted();
      assertThat(bed.sent("one")).containsExactly(first, second, second, third);
      assertThat(after.store.subscriptions().byId(one)).isPresent();
      release.complete(null);
      slowGate.complete(Response.noContent());
    }

    @Test
    void L16_whom_a_round_had_passed_over_before_a_kill_is_served_after_it() {
      Bed bed = keep(new Bed(data));
      long feed = bed.feed(Bed.TOPIC);
      bed.subscribe(feed, "one");
      long two = bed.subscribe(feed, "two");
      bed.subscribe(feed, "three");
      long event = bed.append(feed, "a");
      Round round = Bed.done(bed.store.rounds().open(feed, bed.timer.now())).orElseThrow();
      String host = CallbackHost.of(bed.subscriber.url("one"));
      Bed.done(bed.store.rounds().checkpoint(round.at(two, Map.of(host, 0L)), List.of()));

      bed.started();
      bed.awaitRound(feed, event);
      bed.until(() -> Stream.of("one", "two", "three").noneMatch(p -> bed.sent(p).isEmpty()));

      assertThat(Stream.of("one", "two", "three").map(bed::sent)).containsOnly(List.of(event));
    }

    @Test
    void L16_whom_a_resumed_round_leaves_behind_is_repeated_what_it_may_have() {
      Bed bed = keep(new Bed(data)).started();
      long feed = bed.feed(Bed.TOPIC);
      List<String> before = new ArrayList<>();
      for (int i = 0; i < HostBulkhead.FIRST_SIZE; i++) {
        before.add("s" + i);
      }
      before.forEach(path -> bed.subscribe(feed, path));
      bed.subscribe(feed, "last");
      CompletableFuture<Void> release = holdProgress(bed);
      long first = bed.append(feed, "a");
      bed.until(() -> bed.sent("last").size() == 1 && bed.client.inFlight() == 0);

      List<CompletableFuture<Response>> gates = before.stream().map(bed::gate).toList();
      Bed after = keep(bed.afterCrash(data.resolve("copy")));
      long second = after.append(feed, "b");
      after.started();
      // Their host is full, so that it is not begun in either round.
      after.awaitRound(feed, second);
      gates.forEach(gate -> gate.complete(Response.noContent()));
      after.until(() -> bed.sent("last").contains(second));

      assertThat(bed.sent("last")).containsExactly(first, first, second);
      release.complete(null);
    }
  }

  @Nested
  class Stop {

    @Test
    void a_stop_in_the_middle_of_a_walk_begins_nothing_more_and_doubles_nothing() {
      Bed bed = keep(new Bed(data, 2)).started();
      long feed = bed.feed(Bed.TOPIC);
      List<String> paths = List.of("s0", "s1", "s2", "s3", "s4");
      List<CompletableFuture<Response>> gates = new ArrayList<>();
      for (String path : paths) {
        gates.add(bed.gate(path));
        bed.subscribe(feed, path);
      }
      CompletableFuture<Void> walking = new CompletableFuture<>();
      CompletableFuture<Void> release = new CompletableFuture<>();
      bed.hooks.on(
          "Rounds.recipients",
          (arguments, call) -> {
            if ((Long) arguments[1] > 0) {
              walking.complete(null);
              release.join();
            }
            return call.run();
          });
      long event = bed.append(feed, "a");
      Bed.done(walking);
      bed.until(() -> bed.sent("s0").size() + bed.sent("s1").size() == 2);

      CompletableFuture<Void> stopped = CompletableFuture.runAsync(bed::stop);
      bed.until(bed::isStopping);
      release.complete(null);
      bed.until(() -> bed.rows().size() == paths.size());
      gates.forEach(gate -> gate.complete(Response.noContent()));
      Bed.done(stopped);
      assertThat(paths).map(path -> bed.sent(path).size()).containsExactly(1, 1, 0, 0, 0);
      assertThat(bed.rows()).extracting(Bed.Row::inFlight).containsOnly(false);

      Bed after = keep(bed.afterStop()).started();
      after.awaitRound(feed, event);
      after.until(() -> paths.stream().noneMatch(path -> bed.sent(path).isEmpty()));
      long second = after.append(feed, "b");
      after.until(() -> paths.stream().allMatch(path -> bed.sent(path).contains(second)));

      assertThat(paths).allSatisfy(p -> assertThat(bed.sent(p)).containsExactly(event, second));
    }

    @Test
    void a_stop_while_somebody_hangs_takes_no_longer_than_its_bound() {
      Bed bed = keep(new Bed(data)).started();
      long feed = bed.feed(Bed.TOPIC);
      bed.subscribe(feed, "hangs");
      CompletableFuture<Response> gate = bed.gate("hangs");
      bed.append(feed, "a");
      bed.until(() -> bed.sent("hangs").size() == 1);

      long start = System.nanoTime();
      bed.stop();

      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
      assertThat(bed.rows()).singleElement().extracting(Bed.Row::inFlight).isEqualTo(true);
      gate.complete(Response.noContent());
    }
  }
}
