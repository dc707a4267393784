package io.feedbridge.gateway.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Callers take turns. */
class CallerWorkTest {

  private final Deque<Runnable> threads = new ArrayDeque<>();
  private final List<String> done = new CopyOnWriteArrayList<>();
  private final CallerWork work = new CallerWork(threads::add, Clock.systemUTC());

  private CompletableFuture<Boolean> supply(String caller) {
    return work.supply(Optional.of(caller), () -> done.add(caller));
  }

  @Test
  void a_caller_with_many_tasks_is_before_another_with_a_few_only() {
    for (int i = 0; i < 50; i++) {
      var unused = supply("many");
    }
    CompletableFuture<Boolean> one = supply("one");

    for (int i = 0; i <= CallerWork.AT_ONCE; i++) {
      threads.remove().run();
    }

    assertThat(one).isCompleted();
    while (!threads.isEmpty()) {
      threads.remove().run();
    }
    assertThat(done).hasSize(51);
  }

  @Test
  void tasks_of_one_caller_beyond_those_that_may_wait_are_refused() {
    for (int i = 0; i < CallerWork.AT_ONCE + CallerWork.WAITING; i++) {
      var unused = supply("many");
    }

    assertThat(supply("many"))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(RejectedExecutionException.class);
    assertThat(supply("one")).isNotCompleted();
  }

  @Test
  void a_task_of_a_caller_without_limits_that_finds_no_thread_fails_in_the_same_way() {
    CallerWork none =
        new CallerWork(
            task -> {
              throw new RejectedExecutionException("full");
            },
            Clock.systemUTC());

    assertThat(none.supply(Optional.empty(), () -> true))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void a_task_that_finds_no_thread_fails_and_so_do_those_behind_it() {
    Deque<Runnable> one = new ArrayDeque<>();
    CallerWork few =
        new CallerWork(
            task -> {
              if (!one.isEmpty()) {
                throw new RejectedExecutionException("full");
              }
              one.add(task);
            },
            Clock.systemUTC());

    CompletableFuture<Boolean> first = few.supply(Optional.of("caller"), () -> true);
    CompletableFuture<Boolean> second = few.supply(Optional.of("caller"), () -> true);

    assertThat(second).isCompletedExceptionally();
    one.remove().run();
    assertThat(first).isCompletedWithValue(true);
  }

  @Test
  void time_that_was_spent_is_charged() {
    CallerWork direct = new CallerWork(Runnable::run, Clock.systemUTC());
    long until = System.nanoTime() + 300_000_000L;
    direct
        .supply(
            Optional.of("caller"),
            () -> {
              int sum = 0;
              while (System.nanoTime() < until) {
                sum++;
              }
              return sum;
            })
        .join();

    assertThat(direct.refusal("caller")).as("a little").isEmpty();
    assertThat(direct.isCharged("caller")).isTrue();
  }
}
