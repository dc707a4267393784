package io.feedbridge.gateway.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.schedule.ManualTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The budgets of trackers' entries. */
class TrackerBudgetsTest {

  private final ManualTimer timer = new ManualTimer(Instant.parse("2026-03-01T12:00:00Z"));
  private final TrackerBudgets budgets = new TrackerBudgets(timer.clock());

  private long taken(long trackerId, int wanted) {
    return IntStream.range(0, wanted).filter(i -> budgets.take(trackerId)).count();
  }

  @Test
  void a_tracker_gets_so_many_entries_in_a_day_and_another_tracker_its_own() {
    assertThat(taken(1, 20_000)).isEqualTo(TrackerBudgets.TRACKER_ENTRIES_PER_DAY);
    assertThat(taken(2, 100)).isEqualTo(100);

    timer.advance(Duration.ofHours(12));
    assertThat(taken(1, 20_000)).isEqualTo(TrackerBudgets.TRACKER_ENTRIES_PER_DAY / 2);
  }

  @Test
  void trackers_that_match_everything_leave_the_spared_entries_to_each_other_tracker() {
    long flood =
        IntStream.range(0, 200).mapToLong(id -> taken(id, 2 * TrackerBudgets.SPARED + 9_000)).sum();

    assertThat(flood)
        .isBetween(
            (long) TrackerBudgets.ALL_ENTRIES_PER_DAY,
            TrackerBudgets.ALL_ENTRIES_PER_DAY + 200L * TrackerBudgets.SPARED);
    assertThat(taken(1_000, 1_000)).isEqualTo(TrackerBudgets.SPARED);
  }

  @Test
  void a_tracker_without_budget_is_told_once_in_a_day() {
    assertThat(budgets.isFirstRefusal(1)).isTrue();
    assertThat(budgets.isFirstRefusal(1)).isFalse();
    assertThat(budgets.isFirstRefusal(2)).isTrue();
    timer.advance(Duration.ofDays(1));
    assertThat(budgets.isFirstRefusal(1)).isTrue();
  }
}
