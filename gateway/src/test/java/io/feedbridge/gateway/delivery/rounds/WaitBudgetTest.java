package io.feedbridge.gateway.delivery.rounds;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.hosts.SlowHosts;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** For whom a walk waits, and for how long (rule L3). */
class WaitBudgetTest {

  private long now = 42;

  private static long millis(long count) {
    return Duration.ofMillis(count).toNanos();
  }

  @Nested
  class Waiting_in_vain {

    private final WaitBudget patience = new WaitBudget(() -> now);

    @Test
    void at_first_a_host_may_be_silent_for_the_whole_of_it() {
      assertThat(patience.quietNanos()).isEqualTo(WaitBudget.QUIET.toNanos());
    }

    @Test
    void L3_once_it_is_spent_nobody_is_waited_for() {
      patience.inVain(WaitBudget.QUIET.toNanos());

      assertThat(patience.quietNanos()).isZero();
    }

    @Test
    void a_tenth_of_the_time_since_is_given_back() {
      patience.inVain(WaitBudget.QUIET.toNanos());

      now += millis(100);

      assertThat(patience.quietNanos()).isEqualTo(millis(10));
    }

    @Test
    void a_long_walk_saves_up_no_more_than_it_began_with() {
      now += Duration.ofHours(1).toNanos();

      assertThat(patience.quietNanos()).isEqualTo(WaitBudget.QUIET.toNanos());
    }

    @Test
    void L3_a_host_that_trickles_is_paid_for_like_one_that_is_silent() {
      patience.inVain(WaitBudget.LONGEST.toNanos());

      now += WaitBudget.LONGEST.toNanos();
      assertThat(patience.quietNanos()).isZero();
      now += WaitBudget.LONGEST.toNanos() * 9;
      assertThat(patience.quietNanos()).isEqualTo(WaitBudget.QUIET.toNanos());
    }

    @Test
    void however_late_it_is_noticed_a_wait_costs_no_more_than_the_longest() {
      patience.inVain(Duration.ofHours(1).toNanos());
      now += WaitBudget.LONGEST.toNanos() * 10;

      assertThat(patience.quietNanos()).isEqualTo(WaitBudget.QUIET.toNanos());
    }
  }

  @Nested
  class Hearing_out {

    private CompletableFuture<Void> heard = new CompletableFuture<>();
    private int asked;

    private final ReadBarrier hearing =
        new ReadBarrier(
            () -> {
              asked++;
              return heard;
            });

    @Test
    void a_wait_that_goes_on_ends_when_it_would() {
      long end = System.nanoTime() + millis(60_000);

      assertThat(hearing.atLeastUntilHeard(end)).isEqualTo(end);
      assertThat(asked).isZero();
    }

    @Test
    void L3_no_host_is_silent_while_answers_lie_unread() {
      long end = System.nanoTime();

      assertThat(hearing.atLeastUntilHeard(end)).isGreaterThan(end);
      assertThat(hearing.atLeastUntilHeard(end)).isGreaterThan(end);
      heard.complete(null);
      assertThat(hearing.atLeastUntilHeard(end)).isEqualTo(end);
      assertThat(asked).isOne();
    }

    @Test
    void a_wait_that_was_put_off_is_heard_out_again() {
      hearing.atLeastUntilHeard(System.nanoTime());
      heard.complete(null);
      hearing.atLeastUntilHeard(System.nanoTime() + millis(60_000));
      heard = new CompletableFuture<>();
      long end = System.nanoTime();

      assertThat(hearing.atLeastUntilHeard(end)).isGreaterThan(end);
      assertThat(asked).isEqualTo(2);
    }
  }

  @Nested
  class Slow_hosts {

    private final SlowHosts slow = new SlowHosts();

    private void othersAnswer(int times) {
      for (int i = 0; i < times; i++) {
        slow.answered("other", System.nanoTime());
      }
    }

    @Test
    void L3_one_that_is_silent_while_others_answer_is_passed_over() {
      othersAnswer(100);
      slow.add(Set.of("host"));
      assertThat(slow.contains("host")).isTrue();

      othersAnswer(SlowHosts.ANSWERS_OF_OTHERS - 1);
      assertThat(slow.isToBePassed("host")).isFalse();
      othersAnswer(1);
      assertThat(slow.isToBePassed("host")).isTrue();
    }

    @Test
    void L3_answers_that_lay_unread_when_it_was_found_slow_say_nothing_of_others() {
      long before = System.nanoTime();
      slow.add(Set.of("host"));

      for (int i = 0; i < 10 * SlowHosts.ANSWERS_OF_OTHERS; i++) {
        slow.answered("other", before);
      }

      assertThat(slow.isToBePassed("host")).isFalse();
    }

    @Test
    void one_that_answers_is_slow_no_more() {
      slow.add(Set.of("host"));
      othersAnswer(SlowHosts.ANSWERS_OF_OTHERS);

      slow.answered("host", System.nanoTime());

      assertThat(slow.contains("host")).isFalse();
      assertThat(slow.isToBePassed("host")).isFalse();
    }

    @Test
    void one_that_is_found_slow_again_and_again_is_not_forgiven() {
      slow.add(Set.of("host"));
      othersAnswer(SlowHosts.ANSWERS_OF_OTHERS);
      slow.add(Set.of("host"));

      assertThat(slow.isToBePassed("host")).isTrue();
    }

    @Test
    void nobody_else_is_slow() {
      othersAnswer(SlowHosts.ANSWERS_OF_OTHERS);

      assertThat(slow.contains("well")).isFalse();
      assertThat(slow.isToBePassed("well")).isFalse();
    }
  }
}
