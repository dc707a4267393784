package io.feedbridge.gateway.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ManualTimerTest {

  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

  private final ManualTimer timer = new ManualTimer(START);
  private final List<String> ran = new ArrayList<>();

  private Timer.Scheduled at(long second, String name) {
    return timer.at(
        START.plusSeconds(second),
        () -> ran.add(name + "@" + Duration.between(START, timer.clock().instant()).toSeconds()));
  }

  @Test
  void tasks_run_in_the_order_of_their_times_each_at_its_own() {
    at(3, "c");
    at(1, "a");
    at(3, "d");
    at(2, "b");
    at(9, "later");

    timer.advance(Duration.ofSeconds(5));

    assertThat(ran).containsExactly("a@1", "b@2", "c@3", "d@3");
    assertThat(timer.now()).isEqualTo(START.plusSeconds(5));
    assertThat(timer.nextAt()).contains(START.plusSeconds(9));
    assertThat(timer.waiting()).isEqualTo(1);
  }

  @Test
  void what_a_task_schedules_runs_in_the_same_turn_if_it_is_due() {
    timer.at(START.plusSeconds(1), () -> at(2, "second"));

    timer.advance(Duration.ofSeconds(2));

    assertThat(ran).containsExactly("second@2");
  }

  @Test
  void nothing_runs_before_its_time_nor_while_nobody_turns_the_clock() {
    at(0, "due");
    at(-1, "past");
    at(1, "future");
    assertThat(ran).isEmpty();

    timer.runDue();

    assertThat(ran).containsExactly("past@0", "due@0");
  }

  @Test
  void what_is_cancelled_does_not_run() {
    Timer.Scheduled first = at(1, "same");
    at(1, "same");

    first.cancel();
    first.cancel();
    timer.advance(Duration.ofSeconds(2));

    assertThat(ran).containsExactly("same@1");
  }
}
