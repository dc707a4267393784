package io.feedbridge.gateway.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GroupingExecutorTest {

  private static final int MAX_WAITING = 10_000;

  private final Deque<Runnable> threads = new ArrayDeque<>();
  private final GroupingExecutor executor = new GroupingExecutor(threads::add, MAX_WAITING);
  private final List<Integer> ran = new ArrayList<>();

  private void execute(int count) {
    for (int i = 0; i < count; i++) {
      int number = i;
      executor.execute(() -> ran.add(number));
    }
  }

  @Test
  void those_that_come_at_once_are_one_task_of_the_threads() {
    execute(GroupingExecutor.AT_ONCE);

    assertThat(threads).hasSize(1);
    threads.remove().run();
    assertThat(ran).hasSize(GroupingExecutor.AT_ONCE).isSorted();
    assertThat(threads).isEmpty();
  }

  @Test
  void more_tasks_than_may_wait_are_refused_and_the_others_run() {
    GroupingExecutor few = new GroupingExecutor(threads::add, 2);
    few.execute(() -> ran.add(1));
    few.execute(() -> ran.add(2));

    assertThatThrownBy(() -> few.execute(() -> ran.add(3)))
        .isInstanceOf(RejectedExecutionException.class);

    threads.remove().run();
    assertThat(ran).containsExactly(1, 2);
    few.execute(() -> ran.add(4));
    threads.remove().run();
    assertThat(ran).containsExactly(1, 2, 4);
  }

  @Test
  void one_thread_takes_no_more_than_its_group() {
    execute(GroupingExecutor.AT_ONCE + 3);

    assertThat(threads).hasSize(2);
    threads.remove().run();
    assertThat(ran).hasSize(GroupingExecutor.AT_ONCE);
  }

  @Test
  void whatever_comes_while_a_group_runs_is_run() {
    executor.execute(() -> execute(2 * GroupingExecutor.AT_ONCE - 1));

    while (!threads.isEmpty()) {
      threads.remove().run();
    }

    assertThat(ran).hasSize(2 * GroupingExecutor.AT_ONCE - 1);
  }

  @Test
  void one_that_breaks_holds_up_no_other() {
    executor.execute(
        () -> {
          throw new IllegalStateException("broken");
        });
    execute(3);

    assertThatThrownBy(() -> threads.remove().run()).hasMessage("broken");
    threads.remove().run();

    assertThat(ran).containsExactly(0, 1, 2);
  }

  @Test
  void one_that_is_refused_is_not_run_and_its_caller_is_told() {
    GroupingExecutor ending =
        new GroupingExecutor(
            task -> {
              throw new RejectedExecutionException("ending");
            },
            MAX_WAITING);

    assertThatThrownBy(() -> ending.execute(() -> ran.add(1)))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(ran).isEmpty();
  }

  @Test
  void of_many_from_many_threads_each_is_run_once() throws Exception {
    int count = 200_000;
    int callers = 4;
    CountDownLatch left = new CountDownLatch(count);
    ExecutorService pool = Executors.newFixedThreadPool(3);
    ExecutorService callersPool = Executors.newFixedThreadPool(callers);
    try {
      GroupingExecutor many = new GroupingExecutor(pool, count);
      for (int caller = 0; caller < callers; caller++) {
        callersPool.execute(
            () -> {
              for (int i = 0; i < count / callers; i++) {
                many.execute(left::countDown);
              }
            });
      }

      assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      callersPool.shutdownNow();
      pool.shutdownNow();
    }
  }
}
