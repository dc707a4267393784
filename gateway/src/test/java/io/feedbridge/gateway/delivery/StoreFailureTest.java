package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store fails for a while, at each place where the fan-out needs it. */
class StoreFailureTest {

  private static final Duration A_WHILE = Duration.ofSeconds(10);

  @TempDir Path data;
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    // One at a time: a place at the host that is not given back is missed at once.
    bed = new Bed(data, 1).started();
    feed = bed.feed(Bed.TOPIC);
  }

  @AfterEach
  void stop() {
    bed.close();
  }

  @Test
  void L16_a_round_that_could_not_be_closed_is_walked_again_from_its_checkpoint() {
    bed.subscribe(feed, "one");
    bed.hooks.on(
        "Rounds.checkpoint",
        (arguments, call) -> {
          Object written = CompletableFuture.allOf();
          return written;
        });
    AtomicInteger closes = new AtomicInteger();
    bed.hooks.on(
        "Rounds.close",
        (arguments, call) -> {
          closes.incrementAndGet();
          Object failure = CompletableFuture.failedFuture(new StoreException("the disk is full"));
          return failure;
        });
    long event = bed.append(feed, "a");
    bed.until(() -> closes.get() == 1);
    bed.hooks.off("Rounds.close");

    bed.until(
        () -> {
          bed.timer.turn(A_WHILE);
          return bed.rounded(feed) == event;
        });

    // That it was answered had not been written.
    assertThat(bed.sent("one")).containsExactly(event, event);
    assertThat(bed.checkpoints()).isEmpty();
  }

  @Test
  void L2_a_round_is_walked_again_only_after_its_requests_have_ended() {
    CompletableFuture<Response> gate = bed.gate("slow");
    bed.subscribe(feed, "slow");
    AtomicInteger closes = new AtomicInteger();
    bed.hooks.on(
        "Rounds.close",
        (arguments, call) -> {
          closes.incrementAndGet();
          Object failure = CompletableFuture.failedFuture(new StoreException("the disk is full"));
          return failure;
        });
    long event = bed.append(feed, "a");
    bed.until(() -> closes.get() == 1);
    bed.hooks.off("Rounds.close");

    // Another feed's round shows that the pump looked again.
    bed.timer.turn(A_WHILE);
    long other = bed.feed("https://feeds.example/other");
    bed.awaitRoundOf(other, bed.append(other, "x"));
    assertThat(bed.sent("slow")).containsExactly(event);
    gate.complete(Response.noContent());
    bed.until(
        () -> {
          bed.timer.turn(A_WHILE);
          return bed.rounded(feed) == event;
        });

    // Sent once more: that it was answered could not be written.
    assertThat(bed.sent("slow")).containsExactly(event, event);
  }

  @Test
  void L4_rows_that_could_not_be_written_with_a_checkpoint_are_written_by_the_next_walk() {
    bed.subscriber.answer("bad", 500);
    long bad = bed.subscribe(feed, "bad");
    bed.hooks.fail("Rounds.checkpoint");
    bed.hooks.fail("Rounds.close");
    long event = bed.append(feed, "a");
    bed.until(() -> bed.sent("bad").size() == 1);
    assertThat(bed.rows()).isEmpty();
    bed.hooks.off("Rounds.checkpoint");
    bed.hooks.off("Rounds.close");

    bed.until(
        () -> {
          bed.timer.turn(Duration.ofMillis(1_001));
          return bed.rounded(feed) == event;
        });

    bed.until(() -> bed.row(bad).attempts() > 0);
  }

  @Test
  void L3_an_outcome_that_could_not_be_written_is_written_later() {
    CompletableFuture<Response> gate = bed.gate("slow");
    long slow = bed.subscribe(feed, "slow");
    long first = bed.append(feed, "a");
    bed.awaitRound(feed, first);
    AtomicInteger tries = new AtomicInteger();
    bed.hooks.on(
        "Laggards.settle",
        (arguments, call) -> {
          tries.incrementAndGet();
          Object failure = CompletableFuture.failedFuture(new StoreException("the disk is full"));
          return failure;
        });
    gate.complete(Response.noContent());
    bed.until(() -> tries.get() == 1);
    bed.hooks.off("Laggards.settle");

    bed.until(
        () -> {
          bed.timer.turn(A_WHILE);
          return !bed.row(slow).inFlight();
        });

    assertThat(bed.row(slow).cursor()).isEqualTo(first);
    assertThat(bed.sent("slow")).containsExactly(first);
  }

  @Test
  void H13_an_end_that_could_not_be_written_is_written_later() {
    bed.subscriber.answer("gone", 410);
    long gone = bed.subscribe(feed, "gone");
    bed.hooks.fail("Subscriptions.end");
    long event = bed.append(feed, "a");
    bed.awaitRound(feed, event);
    bed.hooks.off("Subscriptions.end");

    bed.until(
        () -> {
          bed.timer.turn(A_WHILE);
          return bed.store.subscriptions().byId(gone).isEmpty();
        });
  }

  @Test
  void a_laggard_is_served_once_its_events_can_be_read_again() {
    laggardWhile("Laggards.documentEnd");
  }

  @Test
  void a_laggard_is_served_once_its_claim_can_be_written_again() {
    laggardWhile("Laggards.claim");
  }

  @Test
  void a_laggard_is_served_once_its_subscription_can_be_read_again() {
    laggardWhile("Subscriptions.byId");
  }

  @Test
  void a_laggard_is_served_once_its_document_can_be_read_again() {
    laggardWhile("Feeds.events");
  }

  @Test
  void a_step_that_fails_rests_before_it_is_repeated() {
    CompletableFuture<Response> gate = bed.gate("slow");
    bed.subscribe(feed, "slow");
    bed.awaitRound(feed, bed.append(feed, "a"));
    bed.awaitRound(feed, bed.append(feed, "b"));
    AtomicInteger failures = new AtomicInteger();
    bed.hooks.on(
        "Laggards.claim",
        (arguments, call) -> {
          failures.incrementAndGet();
          throw new StoreException("the disk is gone");
        });
    gate.complete(Response.noContent());
    bed.until(() -> failures.get() > 0);

    // As long as ten rounds of another feed take, each of which asks for a look itself.
    long other = bed.feed("https://feeds.example/other");
    for (int i = 0; i < 10; i++) {
      bed.awaitRound(other, bed.append(other, "x" + i));
    }

    assertThat(failures.get()).isLessThan(25);
  }

  /** One laggard, due while a method of the store throws or fails. */
  private void laggardWhile(String broken) {
    CompletableFuture<Response> gate = bed.gate("slow");
    long slow = bed.subscribe(feed, "slow");
    bed.awaitRound(feed, bed.append(feed, "a"));
    AtomicInteger failures = new AtomicInteger();
    long second = bed.append(feed, "b");
    bed.awaitRound(feed, second);
    bed.hooks.on(
        broken,
        (arguments, call) -> {
          failures.incrementAndGet();
          throw new StoreException("the disk is gone");
        });
    gate.complete(Response.noContent());
    bed.until(() -> failures.get() > 0);
    bed.hooks.off(broken);

    bed.until(
        () -> {
          bed.timer.turn(A_WHILE);
          return bed.row(slow).cursor() == second;
        });

    assertThat(bed.sent("slow")).endsWith(second);
    assertThat(bed.row(slow).inFlight()).isFalse();
  }
}
