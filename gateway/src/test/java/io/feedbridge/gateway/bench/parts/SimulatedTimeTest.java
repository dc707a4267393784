package io.feedbridge.gateway.bench.parts;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The time in which scenario (i) takes place. */
@Timeout(300)
class SimulatedTimeTest {

  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

  private final SimulatedTime time = new SimulatedTime(START);
  private final List<Instant> ran = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void end() {
    time.close();
  }

  private void note() {
    ran.add(time.clock().instant());
  }

  @Test
  void each_task_runs_at_its_own_time_and_one_that_was_cancelled_never() throws Exception {
    time.at(START.plusSeconds(3), this::note);
    time.at(START.plusSeconds(1), this::note);
    time.at(START.plusSeconds(2), this::note).cancel();
    time.at(START.plusSeconds(11), this::note);

    time.advance(Duration.ofSeconds(10));

    assertThat(ran).containsExactly(START.plusSeconds(1), START.plusSeconds(3));
    assertThat(time.clock().instant()).isEqualTo(START.plusSeconds(10));
  }

  @Test
  void the_clock_stands_still_while_a_thread_does_something() throws Exception {
    time.at(
        START.plusSeconds(1),
        () ->
            time.execute(
                () -> {
                  time.execute(this::note);
                  time.at(START.plusSeconds(2), this::note);
                }));
    time.at(START.plusSeconds(5), this::note);

    time.advance(Duration.ofSeconds(5));

    assertThat(ran)
        .containsExactly(START.plusSeconds(1), START.plusSeconds(2), START.plusSeconds(5));
  }

  @Test
  void a_task_for_the_past_runs_at_once() throws Exception {
    time.at(START.minusSeconds(1), this::note);

    time.advance(Duration.ZERO);

    assertThat(ran).containsExactly(START);
  }
}
