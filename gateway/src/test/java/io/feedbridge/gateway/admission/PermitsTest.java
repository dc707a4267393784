package io.feedbridge.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.admission.Permits.Answer;
import io.feedbridge.gateway.admission.Permits.Bounds;
import io.feedbridge.gateway.admission.Permits.Next;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PermitsTest {

  private final Permits<String, Integer> permits = new Permits<>(new Bounds(2, 3, 0, 2, 3));

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
  void all_keys_together_have_so_many() {
    permits.tryTake("a");
    permits.tryTake("a");
    permits.tryTake("b");

    assertThat(permits.tryTake("c")).isFalse();
    assertThat(permits.taken()).isEqualTo(3);
  }

  @Test
  void a_key_without_a_permit_goes_before_further_values_of_keys_with_permits() {
    permits.tryTake("a");
    permits.tryTake("a");
    permits.tryTake("b");
    assertThat(permits.take("a", 1)).isEqualTo(Answer.WAITS);
    assertThat(permits.take("b", 2)).isEqualTo(Answer.WAITS);
    assertThat(permits.take("c", 3)).isEqualTo(Answer.WAITS);

    assertThat(permits.giveBack("a")).contains(new Next<>("c", 3));
    assertThat(permits.giveBack("a")).contains(new Next<>("a", 1));
    assertThat(permits.giveBack("a")).contains(new Next<>("b", 2));
    assertThat(permits.taken()).isEqualTo(3);
  }

  @Test
  void the_values_of_all_keys_that_wait_are_bounded() {
    permits.tryTake("a");
    permits.tryTake("a");
    permits.tryTake("b");
    permits.take("a", 1);
    permits.take("a", 2);
    permits.take("b", 3);

    assertThat(permits.take("c", 4)).isEqualTo(Answer.REFUSED);
    assertThat(permits.giveBack("b")).contains(new Next<>("b", 3));
    assertThat(permits.take("c", 4)).isEqualTo(Answer.WAITS);
  }

  @Test
  void the_reserved_permits_are_for_keys_without_one() {
    Permits<String, Integer> some = new Permits<>(new Bounds(3, 4, 2, 1, 9));
    some.tryTake("a");
    some.tryTake("a");

    assertThat(some.take("a", 1)).isEqualTo(Answer.WAITS);
    assertThat(some.full()).containsExactly("a");
    assertThat(some.tryTake("b")).isTrue();
    assertThat(some.take("b", 2)).isEqualTo(Answer.WAITS);
    assertThat(some.tryTake("c")).isTrue();
    assertThat(some.take("d", 3)).isEqualTo(Answer.WAITS);

    assertThat(some.giveBack("a")).contains(new Next<>("d", 3));
    assertThat(some.giveBack("a")).contains(new Next<>("a", 1));
    assertThat(some.giveBack("c")).isEmpty();
    assertThat(some.giveBack("d")).isEmpty();
    assertThat(some.giveBack("a")).contains(new Next<>("b", 2));
  }

  @Test
  void one_key_can_never_take_all() {
    assertThatThrownBy(() -> Bounds.of(4, 4)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void the_surplus_of_a_key_waits_in_its_order_up_to_its_bound() {
    permits.tryTake("a");
    assertThat(permits.take("a", 0)).isEqualTo(Answer.TAKEN);

    assertThat(permits.take("a", 1)).isEqualTo(Answer.WAITS);
    assertThat(permits.take("a", 2)).isEqualTo(Answer.WAITS);
    assertThat(permits.take("a", 3)).isEqualTo(Answer.REFUSED);

    assertThat(permits.giveBack("a")).contains(new Next<>("a", 1));
    assertThat(permits.giveBack("a")).contains(new Next<>("a", 2));
    assertThat(permits.taken("a")).isEqualTo(2);
    assertThat(permits.giveBack("a")).isEmpty();
    assertThat(permits.taken("a")).isEqualTo(1);
  }

  @Test
  void a_permit_that_is_given_on_is_not_free_for_others_in_between() {
    permits.tryTake("a");
    permits.tryTake("a");
    permits.take("a", 1);

    assertThat(permits.giveBack("a")).contains(new Next<>("a", 1));

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
    Permits<Integer, Integer> few = new Permits<>(Bounds.of(3, 5));
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
