package io.feedbridge.gateway.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.schedule.Permits.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PermitsTest {

  private final Permits<String, Integer> permits = new Permits<>(new Permits.Bounds(2, 3, 2));

  @Test
  void a_key_has_so_many_permits_and_no_more() {
    assertThat(permits.tryTake("a")).isTrue();
    assertThat(permits.tryTake("a")).isTrue();
    assertThat(permits.tryTake("a")).isFalse();

    assertThat(permits.taken("a")).isEqualTo(2);
    assertThat(permits.full()).containsExactly("a");
    assertThat(permits.tryTake("b")).isTrue();
  }

  @Test
  void all_keys_together_have_so_many_and_beyond_these_nothing_waits() {
    permits.tryTake("a");
    permits.tryTake("a");
    permits.tryTake("b");

    assertThat(permits.tryTake("c")).isFalse();
    assertThat(permits.take("c", 1)).isEqualTo(Answer.REFUSED);
    assertThat(permits.take("b", 1)).isEqualTo(Answer.REFUSED);
    assertThat(permits.taken()).isEqualTo(3);
  }

  @Test
  void the_surplus_of_a_key_waits_in_its_order_up_to_its_bound() {
    permits.tryTake("a");
    assertThat(permits.take("a", 0)).isEqualTo(Answer.TAKEN);

    assertThat(permits.take("a", 1)).isEqualTo(Answer.WAITS);
    assertThat(permits.take("a", 2)).isEqualTo(Answer.WAITS);
    assertThat(permits.take("a", 3)).isEqualTo(Answer.REFUSED);

    assertThat(permits.giveBack("a")).contains(1);
    assertThat(permits.giveBack("a")).contains(2);
    assertThat(permits.taken("a")).isEqualTo(2);
    assertThat(permits.giveBack("a")).isEmpty();
    assertThat(permits.taken("a")).isEqualTo(1);
  }

  @Test
  void a_permit_that_is_given_on_is_not_free_for_others_in_between() {
    permits.tryTake("a");
    permits.tryTake("a");
    permits.take("a", 1);

    assertThat(permits.giveBack("a")).contains(1);

    assertThat(permits.tryTake("a")).isFalse();
  }

  @Test
  void a_permit_that_was_given_back_twice_is_a_mistake() {
    permits.tryTake("a");
    permits.giveBack("a");

    assertThatThrownBy(() -> permits.giveBack("a")).isInstanceOf(IllegalStateException.class);
    assertThat(permits.taken()).isZero();
  }

  @Test
  void threads_that_take_at_once_never_have_more_than_there_are() {
    Permits<Integer, Integer> few = new Permits<>(new Permits.Bounds(3, 5, 0));
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        int key = i % 2;
        all.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int n = 0; n < 2_000; n++) {
                    if (few.tryTake(key)) {
                      most.accumulateAndGet(running.incrementAndGet(), Math::max);
                      running.decrementAndGet();
                      few.giveBack(key);
                    }
                  }
                },
                threads));
      }
      all.forEach(CompletableFuture::join);
    } finally {
      threads.shutdown();
    }

    assertThat(most.get()).isBetween(1, 5);
    assertThat(few.taken()).isZero();
    assertThat(few.full()).isEmpty();
  }
}
