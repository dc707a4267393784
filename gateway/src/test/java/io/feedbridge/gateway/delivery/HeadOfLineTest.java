package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.rounds.RoundPasses;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeSubscriber;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host with thousands of bad callbacks, in the same round and before everybody else. */
class HeadOfLineTest {

  private static final int BAD = 2_000;
  private static final int GOOD = 50;

  /**
   * The walk waits {@link RoundPasses#LONGEST_WAIT} for such a host; the rest is what the machine
   * needs for two thousand subscriptions.
   */
  private static final Duration BOUND = RoundPasses.LONGEST_WAIT.plusSeconds(4);

  @TempDir Path data;
  private final FakeSubscriber badHost = new FakeSubscriber();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    bed = new Bed(data).started();
    feed = bed.feed(Bed.TOPIC);
    bed.subscribeAll(feed, bed.callbacks(badHost, "bad", BAD), Bed.terms(Format.ATOM, null));
    bed.subscribeAll(
        feed, bed.callbacks(bed.subscriber, "good", GOOD), Bed.terms(Format.ATOM, null));
  }

  @AfterEach
  void stop() {
    clock.shutdownNow();
    bed.close();
    badHost.close();
  }

  @Test
  void L3_a_dead_host_delays_the_others_by_no_more_than_the_patience_of_the_walk() {
    bad(request -> new CompletableFuture<>());

    othersAreServedInTime();
  }

  @Test
  void L3_a_host_that_answers_one_after_the_other_does_not_set_the_pace_of_the_walk() {
    Queue<CompletableFuture<Response>> waiting = new ConcurrentLinkedQueue<>();
    bad(
        request -> {
          CompletableFuture<Response> answer = new CompletableFuture<>();
          waiting.add(answer);
          return answer;
        });
    var unused =
        clock.scheduleAtFixedRate(
            () -> {
              CompletableFuture<Response> next = waiting.poll();
              if (next != null) {
                next.complete(Response.noContent());
              }
            },
            0,
            50,
            TimeUnit.MILLISECONDS);

    othersAreServedInTime();
  }

  private void bad(Function<Request, CompletionStage<Response>> behaviour) {
    for (int i = 0; i < BAD; i++) {
      badHost.answer("bad" + i, behaviour);
    }
  }

  private void othersAreServedInTime() {
    long start = System.nanoTime();
    long event = bed.append(feed, "a");
    for (int i = 0; i < GOOD; i++) {
      String path = "good" + i;
      bed.until(() -> bed.sent(path).equals(List.of(event)));
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BOUND);
  }
}
