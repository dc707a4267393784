package io.feedbridge.gateway.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SystemTimerTest {

  private final Clock clock = Clock.systemUTC();
  private final SystemTimer timer = new SystemTimer(clock);

  @AfterEach
  void close() {
    timer.close();
  }

  @Test
  void a_task_runs_once_the_clock_has_reached_its_time_and_never_before() throws Exception {
    for (int i = 0; i < 50; i++) {
      Instant when = clock.instant().plus(Duration.ofNanos(1_900_000));
      CompletableFuture<Instant> ran = new CompletableFuture<>();
      timer.at(when, () -> ran.complete(clock.instant()));

      assertThat(ran.get(20, TimeUnit.SECONDS)).isAfterOrEqualTo(when);
    }
  }

  @Test
  void a_time_in_the_past_is_now() throws Exception {
    CompletableFuture<Boolean> ran = new CompletableFuture<>();
    timer.at(Instant.MIN, () -> ran.complete(true));

    assertThat(ran.get(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void a_time_beyond_all_clocks_is_admitted_and_can_be_cancelled() {
    assertThatCode(() -> timer.at(Instant.MAX, () -> {}).cancel()).doesNotThrowAnyException();
  }

  @Test
  void what_is_cancelled_does_not_run() throws Exception {
    CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
    CompletableFuture<Boolean> later = new CompletableFuture<>();
    Instant soon = clock.instant().plus(Duration.ofMillis(50));
    timer.at(soon, () -> cancelled.complete(true)).cancel();
    timer.at(soon.plus(Duration.ofMillis(1)), () -> later.complete(true));

    assertThat(later.get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(cancelled).isNotDone();
  }

  @Test
  void after_the_close_nothing_runs_and_nothing_fails() {
    timer.close();

    assertThatCode(() -> timer.at(clock.instant(), () -> {}).cancel()).doesNotThrowAnyException();
  }
}
