package io.feedbridge.gateway.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The bounds of what is in flight. */
class HostWindowsTest {

  private final AtomicInteger room = new AtomicInteger();

  @Test
  void a_host_takes_only_so_many_at_once_and_the_others_in_their_order() {
    HostWindows windows = new HostWindows(2, room::incrementAndGet);
    List<Integer> begun = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      windows.enter("host", () -> begun.add(number));
    }
    assertThat(begun).containsExactly(0, 1);

    windows.leave("host");
    assertThat(begun).containsExactly(0, 1, 2);
    assertThat(room).hasValue(0);
    windows.leave("host");
    windows.leave("host");
    assertThat(begun).containsExactly(0, 1, 2, 3);
    assertThat(room).hasValue(1);
    windows.leave("host");
    assertThat(windows.inFlight()).isZero();
  }

  @Test
  void one_that_waits_goes_before_one_that_only_tries() {
    HostWindows windows = new HostWindows(1, room::incrementAndGet);
    windows.enter("host", () -> {});
    List<String> begun = new ArrayList<>();
    windows.enter("host", () -> begun.add("waited"));

    assertThat(windows.tryEnter("host")).isFalse();
    assertThat(windows.full()).containsExactly("host");
    assertThat(windows.tryEnter("other")).isTrue();
    windows.leave("host");
    assertThat(begun).containsExactly("waited");
  }

  @Test
  void one_that_was_withdrawn_never_begins() {
    HostWindows windows = new HostWindows(1, room::incrementAndGet);
    windows.enter("host", () -> {});
    List<String> begun = new ArrayList<>();
    HostWindows.Waiting waiting = () -> begun.add("waited");
    windows.enter("host", waiting);

    assertThat(windows.withdraw("host", waiting)).isTrue();
    assertThat(windows.withdraw("host", waiting)).isFalse();
    windows.leave("host");
    assertThat(begun).isEmpty();
    assertThat(windows.tryEnter("host")).isTrue();
  }

  /** As when the client was closed, or refuses because too many calls are under way. */
  @Test
  void thousands_that_are_answered_while_they_begin_do_not_exhaust_the_stack() {
    HostWindows windows = new HostWindows(1, room::incrementAndGet);
    windows.enter("host", () -> {});
    AtomicInteger begun = new AtomicInteger();
    for (int i = 0; i < 100_000; i++) {
      windows.enter(
          "host",
          () -> {
            begun.incrementAndGet();
            windows.leave("host");
          });
    }

    windows.leave("host");

    assertThat(begun).hasValue(100_000);
    assertThat(windows.inFlight()).isZero();
  }

  @Test
  void all_hosts_together_take_only_so_many_and_one_after_the_other_gets_the_place_that_is_free() {
    HostWindows windows = new HostWindows(2, 3, room::incrementAndGet);
    List<String> begun = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      windows.enter("big", () -> begun.add("big"));
    }
    windows.enter("one", () -> begun.add("one"));
    windows.enter("two", () -> begun.add("two"));
    windows.enter("three", () -> begun.add("three"));
    assertThat(begun).containsExactly("big", "big", "one");
    assertThat(windows.inFlight()).isEqualTo(3);
    assertThat(windows.tryEnter("four")).isFalse();

    windows.leave("big");
    assertThat(begun).endsWith("two");
    windows.leave("one");
    assertThat(begun).endsWith("three");
    windows.leave("two");
    assertThat(begun).endsWith("big");
    windows.leave("big");
    windows.leave("big");
    assertThat(begun).hasSize(7).endsWith("big");
    assertThat(windows.inFlight()).isEqualTo(2);
    assertThat(windows.tryEnter("four")).isTrue();
  }

  @Test
  void one_that_waits_for_any_place_at_all_can_be_withdrawn() {
    HostWindows windows = new HostWindows(2, 1, room::incrementAndGet);
    windows.enter("one", () -> {});
    HostWindows.Waiting waiting = () -> {};
    windows.enter("two", waiting);

    assertThat(windows.withdraw("two", waiting)).isTrue();
    windows.leave("one");

    assertThat(windows.inFlight()).isZero();
    windows.awaitEmpty(java.time.Duration.ZERO);
    assertThat(windows.full()).isEmpty();
    assertThat(room).hasValue(1);
  }

  @Test
  void there_is_news_of_room_when_there_was_none_for_any_host() {
    HostWindows windows = new HostWindows(2, 2, room::incrementAndGet);
    windows.enter("one", () -> {});
    windows.enter("two", () -> {});

    windows.leave("one");

    assertThat(room).hasValue(1);
  }

  @Test
  void one_that_cannot_begin_keeps_no_other_from_it() {
    HostWindows windows = new HostWindows(1, room::incrementAndGet);
    windows.enter("host", () -> {});
    windows.enter(
        "host",
        () -> {
          windows.leave("host");
          throw new IllegalStateException("bad");
        });
    AtomicInteger begun = new AtomicInteger();
    windows.enter("host", begun::incrementAndGet);

    assertThatThrownBy(() -> windows.leave("host")).hasMessage("bad");

    assertThat(begun).hasValue(1);
    windows.leave("host");
    assertThat(windows.inFlight()).isZero();
  }
}
