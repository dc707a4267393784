package io.feedbridge.gateway.ingest.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Budgets that fill again evenly. */
class AllowancesTest {

  private final ManualTimer timer = new ManualTimer(StageBench.START);
  private final Allowances<String> budget =
      new Allowances<>(100, Duration.ofMinutes(10), timer.clock());

  @Test
  void a_budget_fills_evenly_and_holds_no_more_than_its_amount() {
    budget.spend("a", 60, timer.now());
    timer.advance(Duration.ofMinutes(1));
    assertThat(budget.left("a", timer.now())).isEqualTo(50);
    timer.advance(Duration.ofHours(1));

    assertThat(budget.isFull("a", timer.now())).isTrue();
    assertThat(budget.isFull("b", timer.now())).isTrue();
  }

  @Test
  void an_overspent_budget_is_there_again_within_its_period() {
    for (int i = 0; i < 10; i++) {
      budget.spend("a", 1_000, timer.now());
    }

    assertThat(budget.left("a", timer.now())).isEqualTo(-100);
    assertThat(budget.when("a", 0, timer.now()))
        .isEqualTo(timer.now().plus(Duration.ofMinutes(10)));
  }

  @Test
  void a_clock_that_was_set_back_takes_nothing_away() {
    budget.spend("a", 60, timer.now());

    assertThat(budget.left("a", timer.now().minusSeconds(3_600))).isEqualTo(40);
  }
}
