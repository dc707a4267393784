package io.feedbridge.gateway.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class BurstTest {

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger told = new AtomicInteger();
  private final Burst burst = new Burst(nanos::get);

  @BeforeEach
  void listen() {
    burst.on(told::incrementAndGet);
  }

  @Test
  void an_item_alone_is_told_when_its_sender_is_answered() {
    burst.adding();
    burst.committed();
    assertThat(told).hasValue(0);

    burst.added();

    assertThat(told).hasValue(1);
  }

  @Test
  void items_that_arrive_together_are_told_once_when_the_last_is_answered() {
    burst.adding();
    burst.adding();
    burst.committed();
    burst.added();
    burst.adding();
    burst.committed();
    burst.added();
    assertThat(told).hasValue(0);

    burst.added();

    assertThat(told).hasValue(1);
  }

  @Test
  void a_burst_that_goes_on_is_told_at_each_commit() {
    for (int i = 0; i < 4; i++) {
      burst.adding();
    }
    nanos.addAndGet(Burst.LONGEST.toNanos() - 1);
    burst.committed();
    assertThat(told).hasValue(0);

    nanos.incrementAndGet();
    burst.added();
    assertThat(told).hasValue(1);
    burst.committed();
    assertThat(told).hasValue(2);
  }

  @Test
  void a_burst_after_another_begins_anew() {
    burst.adding();
    burst.committed();
    burst.added();
    nanos.addAndGet(Burst.LONGEST.toNanos());

    burst.adding();
    burst.adding();
    burst.committed();
    burst.added();

    assertThat(told).hasValue(1);
  }

  @Test
  void a_write_that_fails_tells_nothing_and_holds_up_no_other() {
    burst.adding();
    burst.adding();
    burst.committed();
    burst.added();
    burst.added();
    assertThat(told).hasValue(1);

    burst.adding();
    burst.added();

    assertThat(told).hasValue(1);
  }

  /** As after a store that failed: the effects of all writes are told, with nothing to add. */
  @Test
  void a_commit_that_is_told_later_is_told_at_once() {
    burst.committed();

    assertThat(told).hasValue(1);
  }
}
