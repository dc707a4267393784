package io.feedbridge.gateway.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(300)
final class PumpTest {

  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

  private final ManualTimer timer = new ManualTimer(START);

  /** What the pump has handed to its executor and was not run yet. */
  private final Queue<Runnable> submitted = new ArrayDeque<>();

  private int runs;
  private Optional<Instant> again = Optional.empty();
  private Runnable during = () -> {};

  private final Pump pump =
      new Pump(
          "test",
          () -> {
            runs++;
            during.run();
            return again;
          },
          submitted::add,
          timer);

  /** Runs what the executor was given, and what comes of it. */
  private void work() {
    for (Runnable next = submitted.poll(); next != null; next = submitted.poll()) {
      next.run();
    }
  }

  private void start() {
    pump.start();
    work();
  }

  private static void full() {
    throw new IllegalStateException("the disk is full");
  }

  @Nested
  class Waking {

    @Test
    void the_first_run_is_at_the_start_so_that_what_is_due_is_found_by_looking() {
      pump.wake();
      work();
      assertThat(runs).isZero();

      pump.start();
      assertThat(runs).isZero();
      work();
      assertThat(runs).isEqualTo(1);
    }

    @Test
    void it_runs_when_woken_and_not_otherwise() {
      start();
      timer.advance(Duration.ofDays(1));
      work();
      assertThat(runs).isEqualTo(1);

      pump.wake();
      work();
      assertThat(runs).isEqualTo(2);
    }

    @Test
    void any_number_of_wake_ups_before_a_run_are_one_or_two() {
      start();
      pump.wake();
      assertThat(submitted).hasSize(1);
      pump.wake();
      pump.wake();
      assertThat(submitted).hasSize(1);
      submitted.remove().run();

      // Whether they came before the step looked is not known: it may look once more.
      assertThat(submitted).hasSizeLessThanOrEqualTo(1);
      work();
      assertThat(runs).isBetween(2, 3);
    }

    @Test
    void a_wake_up_during_a_run_makes_it_run_once_more() {
      start();
      during =
          () -> {
            if (runs == 2) {
              pump.wake();
              pump.wake();
              assertThat(submitted).isEmpty();
            }
          };

      pump.wake();
      work();

      assertThat(runs).isEqualTo(3);
    }
  }

  @Nested
  class Time {

    @Test
    void it_runs_again_at_the_time_it_named_and_not_before() {
      again = Optional.of(START.plusSeconds(10));
      start();
      again = Optional.empty();

      timer.advance(Duration.ofSeconds(10).minusNanos(1));
      work();
      assertThat(runs).isEqualTo(1);

      timer.advance(Duration.ofNanos(1));
      work();
      assertThat(runs).isEqualTo(2);
      assertThat(timer.waiting()).isZero();
    }

    @Test
    void a_time_in_the_past_means_at_once_without_a_stack_of_calls() {
      again = Optional.of(START);
      during =
          () -> {
            if (runs == 5) {
              again = Optional.empty();
            }
          };
      pump.start();
      submitted.remove().run();
      assertThat(runs).isEqualTo(1);
      assertThat(submitted).hasSize(1);

      work();
      assertThat(runs).isEqualTo(5);
      assertThat(timer.waiting()).isZero();
    }

    @Test
    void a_run_in_between_replaces_the_time_that_was_named() {
      again = Optional.of(START.plusSeconds(10));
      start();

      again = Optional.of(START.plusSeconds(60));
      pump.wake();
      work();

      assertThat(timer.waiting()).isEqualTo(1);
      assertThat(timer.nextAt()).contains(START.plusSeconds(60));
    }
  }

  @Nested
  class Failures {

    @Test
    void a_step_that_failed_is_repeated_after_a_pause() {
      during =
          () -> {
            if (runs == 1) {
              throw new IllegalStateException("disk full");
            }
          };
      start();
      assertThat(runs).isEqualTo(1);

      timer.advance(Duration.ofMinutes(1));
      work();
      assertThat(runs).isEqualTo(2);
      assertThat(timer.waiting()).isZero();
    }

    @Test
    void a_failure_is_logged_once_and_again_after_it_was_over() {
      ListAppender<ILoggingEvent> logged = new ListAppender<>();
      Logger logger = (Logger) LoggerFactory.getLogger(Pump.class);
      logged.start();
      logger.addAppender(logged);
      try {
        during = PumpTest::full;
        start();
        for (int i = 0; i < 5; i++) {
          timer.advance(Duration.ofSeconds(1));
          work();
        }
        assertThat(runs).isEqualTo(6);
        assertThat(logged.list).hasSize(1);

        during = () -> {};
        timer.advance(Duration.ofSeconds(1));
        work();
        during = PumpTest::full;
        pump.wake();
        work();
        assertThat(logged.list).hasSize(2);
      } finally {
        logger.detachAppender(logged);
      }
    }

    @Test
    void a_step_that_failed_can_be_woken_before_the_pause_is_over() {
      during =
          () -> {
            if (runs == 1) {
              throw new IllegalStateException("disk full");
            }
          };
      start();

      pump.wake();
      work();
      assertThat(runs).isEqualTo(2);
    }

    @Test
    void a_step_that_ended_in_an_error_is_repeated_too_and_can_be_closed() {
      during =
          () -> {
            if (runs == 1) {
              throw new StackOverflowError("a deep feed");
            }
          };
      assertThatCode(PumpTest.this::start).doesNotThrowAnyException();

      timer.advance(Duration.ofMinutes(1));
      work();
      assertThat(runs).isEqualTo(2);
      pump.close();
    }

    @Test
    void an_executor_that_shut_down_stops_it_and_it_can_be_closed() {
      Pump refused =
          new Pump(
              "refused",
              Optional::empty,
              task -> {
                throw new RejectedExecutionException("shut down");
              },
              timer);

      assertThatCode(refused::start).doesNotThrowAnyException();
      refused.close();
    }
  }

  @Nested
  class Closing {

    @Test
    void no_run_begins_after_it_was_closed() {
      again = Optional.of(START.plusSeconds(10));
      start();

      pump.close();
      pump.wake();
      timer.advance(Duration.ofMinutes(1));
      work();

      assertThat(runs).isEqualTo(1);
      assertThat(timer.waiting()).isZero();
      pump.close();
    }

    @Test
    void a_step_under_way_can_see_it_and_leave_the_rest() throws Exception {
      CompletableFuture<Boolean> seen = new CompletableFuture<>();
      during =
          () -> {
            new Thread(pump::close).start();
            while (!pump.isClosed()) {
              Thread.onSpinWait();
            }
            seen.complete(true);
          };
      start();
      assertThat(seen.get()).isTrue();
    }

    @Test
    void one_that_never_started_closes_at_once() {
      pump.close();
      pump.start();

      assertThat(submitted).isEmpty();
    }

    @Test
    void a_run_under_way_is_waited_for_and_is_the_last() throws Exception {
      ExecutorService threads = Executors.newCachedThreadPool();
      CountDownLatch inStep = new CountDownLatch(1);
      CountDownLatch mayEnd = new CountDownLatch(1);
      AtomicInteger ended = new AtomicInteger();
      Pump slow =
          new Pump(
              "slow",
              () -> {
                inStep.countDown();
                awaitQuietly(mayEnd);
                ended.incrementAndGet();
                return Optional.of(START);
              },
              threads,
              timer);
      slow.start();
      inStep.await();

      CompletableFuture<Integer> closed = new CompletableFuture<>();
      Thread closer =
          new Thread(
              () -> {
                slow.close();
                closed.complete(ended.get());
              });
      closer.start();
      await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
      slow.wake();
      assertThat(closed).isNotDone();
      mayEnd.countDown();

      assertThat(closed.get(20, TimeUnit.SECONDS)).isEqualTo(1);
      threads.shutdown();
      assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
      assertThat(ended).hasValue(1);
    }

    @Test
    void never_two_runs_at_once_however_often_it_is_woken() throws Exception {
      ExecutorService threads = Executors.newFixedThreadPool(8);
      AtomicInteger inside = new AtomicInteger();
      AtomicInteger together = new AtomicInteger();
      AtomicInteger wakes = new AtomicInteger();
      AtomicInteger seen = new AtomicInteger();
      CountDownLatch done = new CountDownLatch(8);
      Pump busy =
          new Pump(
              "busy",
              () -> {
                together.accumulateAndGet(inside.incrementAndGet(), Math::max);
                seen.set(wakes.get());
                inside.decrementAndGet();
                return Optional.empty();
              },
              threads,
              timer);
      busy.start();
      ExecutorService wakers = Executors.newFixedThreadPool(8);
      for (int i = 0; i < 8; i++) {
        wakers.execute(
            () -> {
              for (int j = 0; j < 1_000; j++) {
                wakes.incrementAndGet();
                busy.wake();
              }
              done.countDown();
            });
      }
      assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
      // The last wake-up was either seen by a run, or brings one more.
      await().untilAsserted(() -> assertThat(seen).hasValue(8_000));
      busy.close();
      wakers.shutdown();
      threads.shutdown();

      assertThat(together).hasValue(1);
    }

    private static void awaitQuietly(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
