package io.feedbridge.gateway.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class JoinedTaskTest {

  private final Deque<Runnable> queue = new ArrayDeque<>();
  private final AtomicInteger runs = new AtomicInteger();

  @Test
  void one_run_serves_all_callers_that_asked_before_it_began() {
    JoinedTask task = new JoinedTask(runs::incrementAndGet, queue::add);

    CompletableFuture<Void> one = task.run();
    CompletableFuture<Void> other = task.run();

    assertThat(queue).hasSize(1);
    assertThat(one).isNotDone();
    queue.remove().run();
    assertThat(one).isCompleted();
    assertThat(other).isCompleted();
    assertThat(runs).hasValue(1);
  }

  @Test
  void a_caller_that_asks_while_a_run_goes_on_waits_for_the_next() {
    CompletableFuture<?>[] late = new CompletableFuture<?>[1];
    JoinedTask[] task = new JoinedTask[1];
    task[0] =
        new JoinedTask(
            () -> {
              if (runs.incrementAndGet() == 1) {
                late[0] = task[0].run();
              }
            },
            queue::add);

    CompletableFuture<Void> first = task[0].run();
    queue.remove().run();

    assertThat(first).isCompleted();
    assertThat(late[0]).isNotDone();
    queue.remove().run();
    assertThat(late[0]).isCompleted();
  }

  @Test
  void a_failure_is_the_failure_of_its_own_callers_alone() {
    JoinedTask task =
        new JoinedTask(
            () -> {
              if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("once");
              }
            },
            queue::add);

    CompletableFuture<Void> failed = task.run();
    queue.remove().run();
    CompletableFuture<Void> again = task.run();
    queue.remove().run();

    assertThat(failed).isCompletedExceptionally();
    assertThat(again).isCompleted();
  }

  @Test
  void a_run_for_which_there_is_no_thread_fails() {
    JoinedTask task =
        new JoinedTask(
            runs::incrementAndGet,
            run -> {
              throw new RejectedExecutionException("full");
            });

    assertThat(task.run()).isCompletedExceptionally();
    assertThat(task.run()).isCompletedExceptionally();
  }
}
