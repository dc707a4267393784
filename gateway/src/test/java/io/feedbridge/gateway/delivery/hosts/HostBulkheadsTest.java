package io.feedbridge.gateway.delivery.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.delivery.Bed;
import io.feedbridge.gateway.schedule.ManualTimer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The bounds of what is in flight. */
class HostBulkheadsTest {

  private static final String CALLBACK = "http://host/callback";

  private final ManualTimer timer = new ManualTimer(Bed.START);

  /** Those that have begun, in order, and the permits that they have. */
  private final List<String> begun = new ArrayList<>();

  private final Deque<HostBulkheads.Permit> permits = new ArrayDeque<>();

  private HostBulkheads windows(int perHost, int total) {
    return windows(new DeliveryBounds(perHost, total, total, total, total));
  }

  private HostBulkheads windows(DeliveryBounds bounds) {
    return new HostBulkheads(bounds, timer, new Random(1));
  }

  private HostBulkheads.Waiting named(String name) {
    return permit -> {
      begun.add(name);
      permits.add(permit);
    };
  }

  private void answer(HostBulkheads.Permit permit) {
    permit.heard(Reachability.ANSWERED, CALLBACK);
    permit.leave();
  }

  private static void silence(HostBulkheads.Permit permit) {
    permit.heard(Reachability.SILENT, CALLBACK);
    permit.leave();
  }

  /** Makes the host one that answers and whose window has grown as far as it can. */
  private void prove(HostBulkheads windows, String host, int times) {
    for (int i = 0; i < times; i++) {
      answer(windows.tryEnter(host).orElseThrow());
    }
  }

  @Nested
  class One_host {

    @Test
    void a_host_takes_only_so_many_at_once_and_the_others_in_their_order() {
      HostBulkheads windows = windows(2, 100);
      for (int i = 0; i < 4; i++) {
        windows.enter("host", named("n" + i));
      }
      assertThat(begun).containsExactly("n0", "n1");

      answer(permits.remove());
      assertThat(begun).containsExactly("n0", "n1", "n2");
      answer(permits.remove());
      answer(permits.remove());
      answer(permits.remove());
      assertThat(begun).containsExactly("n0", "n1", "n2", "n3");
      assertThat(windows.inFlight()).isZero();
    }

    @Test
    void one_that_waits_goes_before_one_that_only_tries() {
      HostBulkheads windows = windows(1, 100);
      windows.enter("host", named("first"));
      windows.enter("host", named("waited"));

      assertThat(windows.tryEnter("host")).isEmpty();
      assertThat(windows.room("host")).isZero();
      assertThat(windows.tryEnter("other")).isPresent();
      answer(permits.remove());
      assertThat(begun).containsExactly("first", "waited");
    }

    @Test
    void one_that_was_withdrawn_never_begins() {
      HostBulkheads windows = windows(1, 100);
      windows.enter("host", named("first"));
      HostBulkheads.Waiting waiting = named("waited");
      windows.enter("host", waiting);

      assertThat(windows.withdraw("host", waiting)).isTrue();
      assertThat(windows.withdraw("host", waiting)).isFalse();
      answer(permits.remove());
      assertThat(begun).containsExactly("first");
      assertThat(windows.tryEnter("host")).isPresent();
    }

    /** As when the client was closed, or refuses because too many calls are under way. */
    @Test
    void thousands_that_are_answered_while_they_begin_do_not_exhaust_the_stack() {
      HostBulkheads windows = windows(1, 100);
      windows.enter("host", named("first"));
      AtomicInteger answered = new AtomicInteger();
      for (int i = 0; i < 100_000; i++) {
        windows.enter(
            "host",
            permit -> {
              answered.incrementAndGet();
              permit.leave();
            });
      }

      permits.remove().leave();

      assertThat(answered).hasValue(100_000);
      assertThat(windows.inFlight()).isZero();
    }

    @Test
    void one_that_cannot_begin_keeps_no_other_from_it() {
      HostBulkheads windows = windows(1, 100);
      windows.enter("host", named("first"));
      windows.enter(
          "host",
          permit -> {
            permit.leave();
            throw new IllegalStateException("bad");
          });
      windows.enter("host", named("last"));

      assertThatThrownBy(() -> answer(permits.remove())).hasMessage("bad");

      assertThat(begun).containsExactly("first", "last");
      permits.remove().leave();
      assertThat(windows.inFlight()).isZero();
    }

    @Test
    void rounds_and_catch_up_take_turns_at_a_full_host() {
      HostBulkheads windows = windows(1, 100);
      windows.enter("host", named("first"));
      for (int i = 0; i < 6; i++) {
        windows.enter("host", named("round"));
      }
      windows.enterNext("host", named("ticket"));

      answer(permits.remove());
      answer(permits.remove());

      assertThat(begun).contains("ticket");
    }
  }

  @Nested
  class Endpoints_of_webhooks {

    private Optional<HostBulkheads.Permit> enter(HostBulkheads windows, String host, String name) {
      return windows.enterEndpoint(host, CALLBACK, named(name));
    }

    @Test
    void they_take_turns_with_the_others_at_a_full_host_each_in_their_order() {
      HostBulkheads windows = windows(1, 100);
      HostBulkheads.Permit first = enter(windows, "host", "never").orElseThrow();
      windows.enter("host", named("round"));
      windows.enter("host", named("round"));
      for (String name : List.of("one", "two")) {
        assertThat(enter(windows, "host", name)).isEmpty();
      }
      windows.enterNext("host", named("ticket"));
      assertThat(begun).isEmpty();

      answer(first);
      while (!permits.isEmpty()) {
        answer(permits.remove());
      }

      assertThat(begun).containsExactlyInAnyOrder("round", "round", "one", "two", "ticket");
      assertThat(begun.subList(0, 3)).contains("one");
      assertThat(begun.indexOf("one")).isLessThan(begun.indexOf("two"));
      assertThat(windows.inFlight()).isZero();
    }

    @Test
    void at_an_open_host_one_of_them_is_the_probe_and_the_others_wait() {
      HostBulkheads windows = windows(32, 100);
      for (int i = 0; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
        silence(enter(windows, "host", "n").orElseThrow());
      }
      for (String name : List.of("one", "two", "three")) {
        assertThat(enter(windows, "host", name)).isEmpty();
      }
      assertThat(begun).isEmpty();

      timer.advance(HostBulkhead.LONGEST_PAUSE);
      assertThat(begun).containsExactly("one");
      silence(permits.remove());
      timer.advance(HostBulkhead.LONGEST_PAUSE);
      assertThat(begun).containsExactly("one", "two");
      answer(permits.remove());

      assertThat(begun).containsExactly("one", "two", "three");
      answer(permits.remove());
      assertThat(windows.inFlight()).isZero();
    }

    @Test
    void one_that_was_withdrawn_never_begins() {
      HostBulkheads windows = windows(1, 100);
      HostBulkheads.Permit first = enter(windows, "host", "never").orElseThrow();
      HostBulkheads.Waiting waiting = named("waited");
      assertThat(windows.enterEndpoint("host", CALLBACK, waiting)).isEmpty();

      assertThat(windows.withdraw("host", waiting)).isTrue();
      answer(first);

      assertThat(begun).isEmpty();
      assertThat(enter(windows, "host", "next")).isPresent();
    }

    @Test
    void they_have_a_share_of_all_places_and_no_more() {
      HostBulkheads windows = windows(new DeliveryBounds(1, 10, 6, 4, 2));
      for (int i = 0; i < 5; i++) {
        enter(windows, "silent" + i, "n").ifPresent(permits::add);
      }
      assertThat(permits).hasSize(2);
      for (int i = 0; i < 4; i++) {
        windows.enter("round" + i, named("round"));
      }

      assertThat(begun).hasSize(4);
    }
  }

  @Nested
  class Growing {

    @Test
    void a_host_nobody_knows_begins_small_and_grows_with_its_answers_up_to_the_bound() {
      HostBulkheads windows = windows(32, 1_000);
      for (int i = 0; i < 100; i++) {
        windows.enter("host", named("n"));
      }
      assertThat(begun).hasSize(HostBulkhead.FIRST_SIZE);

      // Each answer frees a permit and adds one.
      answer(permits.remove());
      assertThat(windows.inFlight()).isEqualTo(HostBulkhead.FIRST_SIZE + 1);
      for (int i = 0; i < 60; i++) {
        answer(permits.remove());
      }
      assertThat(windows.inFlight()).isEqualTo(32);
    }

    @Test
    void a_silence_makes_it_half_as_large_and_never_nothing() {
      HostBulkheads windows = windows(8, 1_000);
      prove(windows, "host", 10);
      assertThat(windows.room("host")).isEqualTo(8);

      silence(windows.tryEnter("host").orElseThrow());
      assertThat(windows.room("host")).isEqualTo(4);
      silence(windows.tryEnter("host").orElseThrow());
      silence(windows.tryEnter("host").orElseThrow());
      silence(windows.tryEnter("host").orElseThrow());
      assertThat(windows.room("host")).isEqualTo(1);
    }

    @Test
    void one_that_had_nothing_to_do_for_a_while_begins_small_again() {
      HostBulkheads windows = windows(32, 1_000);
      prove(windows, "host", 40);
      timer.advance(HostBulkhead.STALE_AFTER.plusMillis(1));

      for (int i = 0; i < 40; i++) {
        windows.enter("host", named("n"));
      }

      assertThat(windows.inFlight()).isEqualTo(HostBulkhead.FIRST_SIZE);
    }
  }

  @Nested
  class All_hosts {

    @Test
    void all_hosts_together_take_only_so_many_and_take_turns() {
      HostBulkheads windows = windows(2, 3);
      for (int i = 0; i < 4; i++) {
        windows.enter("big", named("big"));
      }
      windows.enter("one", named("one"));
      windows.enter("two", named("two"));
      windows.enter("three", named("three"));
      assertThat(begun).containsExactly("big", "big", "one");
      assertThat(windows.inFlight()).isEqualTo(3);
      assertThat(windows.tryEnter("four")).isEmpty();

      permits.remove().leave();
      assertThat(begun).endsWith("two");
      permits.remove().leave();
      assertThat(begun).endsWith("three");
      permits.remove().leave();
      assertThat(begun).endsWith("big");
    }

    @Test
    void one_that_waits_for_any_place_at_all_can_be_withdrawn() {
      HostBulkheads windows = windows(2, 1);
      windows.enter("one", named("one"));
      HostBulkheads.Waiting waiting = named("two");
      windows.enter("two", waiting);

      assertThat(windows.withdraw("two", waiting)).isTrue();
      permits.remove().leave();

      assertThat(windows.inFlight()).isZero();
      windows.awaitEmpty(Duration.ZERO);
      assertThat(windows.standings()).isEmpty();
    }

    @Test
    void any_number_of_hosts_that_hang_leave_half_of_the_places_to_those_that_answer() {
      HostBulkheads windows = windows(DeliveryBounds.of(32));
      prove(windows, "good", 1);
      for (int host = 0; host < 5_000; host++) {
        for (int i = 0; i < 5; i++) {
          windows.enter("hangs" + host, named("hangs"));
        }
        windows.enterNext("hangs" + host, named("hangs"));
      }
      int taken = windows.inFlight();

      for (int i = 0; i < 32; i++) {
        windows.enter("good", named("good"));
      }

      DeliveryBounds bounds = DeliveryBounds.of(32);
      assertThat(taken).isEqualTo(bounds.unproven());
      assertThat(begun.stream().filter("good"::equals)).hasSize(HostBulkhead.FIRST_SIZE + 1);
    }

    @Test
    void one_that_answers_among_those_that_hang_gets_out_of_their_share() {
      HostBulkheads windows = windows(new DeliveryBounds(32, 20, 4, 20, 4));
      windows.enter("good", named("good"));
      for (int i = 0; i < 10; i++) {
        windows.enter("hangs" + i, named("hangs"));
      }
      for (int i = 0; i < 10; i++) {
        windows.enter("good", named("good"));
      }
      assertThat(windows.inFlight()).isEqualTo(4);
      assertThat(begun).containsOnlyOnce("good");

      answer(permits.remove());

      // It has its own window, and its permit in the share is another host's.
      assertThat(begun.stream().filter("good"::equals)).hasSize(1 + HostBulkhead.FIRST_SIZE + 1);
      assertThat(begun.stream().filter("hangs"::equals)).hasSize(4);
    }

    @Test
    void one_that_falls_silent_counts_among_those_that_hang_with_all_it_has_in_flight() {
      HostBulkheads windows = windows(new DeliveryBounds(8, 20, 4, 20, 4));
      prove(windows, "falls", 8);
      for (int i = 0; i < 8; i++) {
        windows.enter("falls", named("falls"));
      }
      silence(permits.remove());

      windows.enter("new", named("new"));

      assertThat(begun).doesNotContain("new");
      answer(permits.remove());
      assertThat(begun).contains("new");
    }

    @Test
    void catch_up_leaves_places_to_rounds() {
      HostBulkheads windows = windows(new DeliveryBounds(4, 10, 10, 3, 3));
      for (int i = 0; i < 10; i++) {
        windows.enterNext("host" + i, named("ticket"));
      }
      assertThat(begun).hasSize(3);
      assertThat(windows.tryEnter("another")).isEmpty();

      windows.enter("host0", named("round"));
      assertThat(begun).endsWith("round");
      permits.remove().leave();
      assertThat(begun).hasSize(5).endsWith("ticket");
    }
  }

  @Nested
  class Breaker {

    private void open(HostBulkheads windows, String host) {
      for (int i = 0; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
        silence(windows.tryEnter(host).orElseThrow());
      }
      assertThat(windows.holdsBack(host)).isTrue();
    }

    /** The same of a host that answered until then, with one still under way. */
    private HostBulkheads.Permit openWithOneUnderWay(HostBulkheads windows, String host) {
      prove(windows, host, 2 * HostBulkhead.SILENCES_TO_OPEN);
      List<HostBulkheads.Permit> all = new ArrayList<>();
      for (int i = 0; i <= HostBulkhead.SILENCES_TO_OPEN; i++) {
        all.add(windows.tryEnter(host).orElseThrow());
      }
      HostBulkheads.Permit slow = all.remove(0);
      all.forEach(HostBulkheadsTest::silence);
      assertThat(windows.holdsBack(host)).isTrue();
      return slow;
    }

    private void longestPause() {
      timer.advance(HostBulkhead.LONGEST_PAUSE);
    }

    @Test
    void a_host_is_open_after_several_silences_in_a_row_and_not_before() {
      HostBulkheads windows = windows(32, 100);
      for (int i = 1; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
        silence(windows.tryEnter("host").orElseThrow());
      }
      assertThat(windows.holdsBack("host")).isFalse();

      answer(windows.tryEnter("host").orElseThrow());
      for (int i = 1; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
        silence(windows.tryEnter("host").orElseThrow());
      }
      assertThat(windows.holdsBack("host")).isFalse();
      assertThat(windows.open()).isZero();

      silence(windows.tryEnter("host").orElseThrow());
      assertThat(windows.holdsBack("host")).isTrue();
      assertThat(windows.open()).isEqualTo(1);
      assertThat(windows.holdsBack("other")).isFalse();
    }

    @Test
    void what_says_nothing_of_the_host_neither_opens_nor_closes_it() {
      HostBulkheads windows = windows(32, 100);
      for (int i = 1; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
        silence(windows.tryEnter("host").orElseThrow());
        HostBulkheads.Permit permit = windows.tryEnter("host").orElseThrow();
        permit.heard(Reachability.UNCLEAR, CALLBACK);
        permit.leave();
        windows.tryEnter("host").orElseThrow().leave();
      }
      assertThat(windows.holdsBack("host")).isFalse();
      silence(windows.tryEnter("host").orElseThrow());
      assertThat(windows.holdsBack("host")).isTrue();
    }

    @Test
    void an_open_host_gets_one_probe_at_a_time_with_growing_pauses_up_to_a_bound() {
      HostBulkheads windows = windows(32, 100);
      open(windows, "dead");
      List<Duration> pauses = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        windows.enterNext("dead", named("probe"));
        assertThat(permits).isEmpty();
        assertThat(windows.tryEnter("dead")).isEmpty();
        java.time.Instant before = timer.now();
        timer.advanceTo(timer.nextAt().orElseThrow());
        pauses.add(Duration.between(before, timer.now()));
        assertThat(permits).hasSize(1);
        assertThat(windows.tryEnter("dead")).isEmpty();
        assertThat(windows.inFlight()).isEqualTo(1);
        silence(permits.remove());
      }

      Duration pause = HostBulkhead.FIRST_PAUSE;
      for (Duration one : pauses) {
        assertThat(one).isBetween(pause.dividedBy(2), pause);
        pause = pause.multipliedBy(2);
        pause =
            pause.compareTo(HostBulkhead.LONGEST_PAUSE) < 0 ? pause : HostBulkhead.LONGEST_PAUSE;
      }
      assertThat(pauses.get(11)).isGreaterThanOrEqualTo(HostBulkhead.LONGEST_PAUSE.dividedBy(2));
    }

    @Test
    void no_round_enters_an_open_host_and_whoever_waited_there_can_be_withdrawn() {
      HostBulkheads windows = windows(1, 100);
      windows.enter("dead", named("one"));
      HostBulkheads.Waiting waits = named("waits");
      windows.enter("dead", waits);
      for (int i = 0; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
        windows.enter("dead", named("n" + i));
      }
      while (!windows.holdsBack("dead")) {
        silence(permits.remove());
      }
      // One of the deliveries that wait is tried once in each pause.
      silence(permits.remove());
      int before = begun.size();
      windows.enter("dead", named("late"));
      longestPause();

      assertThat(begun).hasSize(before);
      assertThat(windows.inFlight()).isZero();
    }

    @Test
    void a_probe_waits_until_those_under_way_have_ended() {
      HostBulkheads windows = windows(32, 100);
      HostBulkheads.Permit slow = openWithOneUnderWay(windows, "dead");
      windows.enterNext("dead", named("probe"));

      longestPause();
      assertThat(begun).isEmpty();
      silence(slow);
      assertThat(begun).containsExactly("probe");
    }

    @Test
    void an_answer_closes_it_and_it_begins_small() {
      HostBulkheads windows = windows(32, 100);
      open(windows, "back");
      windows.enterNext("back", named("probe"));
      longestPause();
      for (int i = 0; i < 100; i++) {
        windows.enter("back", named("n"));
      }

      answer(permits.remove());

      assertThat(windows.holdsBack("back")).isFalse();
      assertThat(windows.open()).isZero();
      assertThat(windows.inFlight()).isEqualTo(HostBulkhead.FIRST_SIZE);
      assertThat(timer.waiting()).isZero();
    }

    @Test
    void a_late_answer_of_one_begun_before_closes_it_too() {
      HostBulkheads windows = windows(32, 100);
      HostBulkheads.Permit slow = openWithOneUnderWay(windows, "slow");

      answer(slow);

      assertThat(windows.holdsBack("slow")).isFalse();
      assertThat(timer.waiting()).isZero();
    }

    @Test
    void a_probe_that_was_not_sent_is_due_again_at_once() {
      HostBulkheads windows = windows(32, 100);
      open(windows, "dead");
      windows.enterNext("dead", named("probe"));
      longestPause();
      permits.remove().leave();

      windows.enterNext("dead", named("again"));

      assertThat(begun).containsExactly("probe", "again");
    }

    @Test
    void a_probe_that_came_to_nothing_clear_is_repeated_after_a_pause() {
      HostBulkheads windows = windows(32, 100);
      open(windows, "odd");
      windows.enterNext("odd", named("probe"));
      longestPause();
      HostBulkheads.Permit permit = permits.remove();
      permit.heard(Reachability.UNCLEAR, CALLBACK);
      permit.leave();

      windows.enterNext("odd", named("again"));
      assertThat(begun).containsExactly("probe");
      longestPause();
      assertThat(begun).containsExactly("probe", "again");
      assertThat(windows.holdsBack("odd")).isTrue();
    }

    @Test
    void a_thousand_dead_hosts_take_no_more_than_their_share_with_their_probes() {
      HostBulkheads windows = windows(new DeliveryBounds(4, 40, 20, 20, 10));
      for (int i = 0; i < 1_000; i++) {
        open(windows, "dead" + i);
        windows.enterNext("dead" + i, named("probe" + i));
      }
      assertThat(windows.open()).isEqualTo(1_000);

      longestPause();
      assertThat(windows.inFlight()).isEqualTo(10);
      while (!permits.isEmpty()) {
        silence(permits.remove());
      }
      // Each had its probe, one after the other.
      assertThat(begun).hasSize(1_000).doesNotHaveDuplicates();
    }
  }

  /** A host that answers some requests is not silent. */
  @Nested
  class Silent_callbacks {

    private void hear(HostBulkheads.Permit permit, Reachability what, String callback) {
      permit.heard(what, callback);
      permit.leave();
    }

    private HostBulkheads.Permit enter(HostBulkheads windows) {
      return windows.tryEnter("host").orElseThrow();
    }

    /** Each callback is found silent while another one at the host answers. */
    private HostBulkheads withSilent(int callbacks) {
      HostBulkheads windows = windows(32, 100);
      prove(windows, "host", 32);
      for (int i = 0; i < callbacks; i++) {
        HostBulkheads.Permit silent = enter(windows);
        hear(enter(windows), Reachability.ANSWERED, "good");
        hear(silent, Reachability.SILENT, "silent" + i);
      }
      return windows;
    }

    @Test
    void a_silence_during_which_the_host_answered_others_is_none_of_the_host() {
      HostBulkheads windows = withSilent(20);

      assertThat(windows.holdsBack("host")).isFalse();
      assertThat(windows.isAnswering("host")).isTrue();
      assertThat(windows.room("host")).isEqualTo(32);
      assertThat(windows.isSilentByItself("host", "silent7")).isTrue();
      assertThat(windows.isSilentByItself("host", "good")).isFalse();
    }

    @Test
    void retries_of_silent_callbacks_alone_do_not_open_a_host_that_answered_lately() {
      HostBulkheads windows = withSilent(5);

      for (int i = 0; i < 20; i++) {
        hear(enter(windows), Reachability.SILENT, "silent" + i % 5);
      }

      assertThat(windows.holdsBack("host")).isFalse();
      assertThat(windows.isAnswering("host")).isTrue();
    }

    @Test
    void a_host_on_which_nothing_answers_for_ten_minutes_is_silent_as_a_whole() {
      HostBulkheads windows = withSilent(5);
      timer.advance(SilentCallbacks.ANSWER_COUNTS_FOR);

      for (int i = 0; i < 5; i++) {
        hear(enter(windows), Reachability.SILENT, "silent" + i);
      }

      assertThat(windows.holdsBack("host")).isTrue();
    }

    @Test
    void a_host_that_dies_is_opened_by_the_callbacks_that_answered_before() {
      HostBulkheads windows = withSilent(5);

      for (int i = 0; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
        assertThat(windows.holdsBack("host")).isFalse();
        hear(enter(windows), Reachability.SILENT, "good" + i);
      }

      assertThat(windows.holdsBack("host")).isTrue();
    }

    @Test
    void one_that_answers_is_silent_no_more() {
      HostBulkheads windows = withSilent(1);

      hear(enter(windows), Reachability.ANSWERED, "silent0");

      assertThat(windows.isSilentByItself("host", "silent0")).isFalse();
      assertThat(windows.hasSilent("host")).isFalse();
    }

    @Test
    void they_have_a_part_of_the_places_of_their_host_in_catch_up() {
      HostBulkheads windows = withSilent(20);
      List<HostBulkheads.Permit> silent = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        HostBulkheads.Permit permit = enter(windows);
        if (permit.mayServe("silent" + i)) {
          silent.add(permit);
        } else {
          permit.leave();
        }
      }
      assertThat(silent).hasSize(32 / SilentCallbacks.PART);
      assertThat(enter(windows).mayServe("good")).isTrue();

      hear(silent.remove(0), Reachability.SILENT, "silent0");
      assertThat(enter(windows).mayServe("silent19")).isTrue();
    }

    @Test
    void they_have_a_part_of_the_places_of_their_host_as_endpoints_and_none_is_forgotten() {
      HostBulkheads windows = withSilent(20);
      for (int i = 0; i < 20; i++) {
        String name = "silent" + i;
        windows.enterEndpoint("host", name, named(name)).ifPresent(permits::add);
      }
      assertThat(permits).hasSize(32 / SilentCallbacks.PART);
      assertThat(windows.enterEndpoint("host", "good", named("good"))).isPresent();

      while (!permits.isEmpty()) {
        answer(permits.remove());
      }
      assertThat(begun).hasSize(20 - 32 / SilentCallbacks.PART);
    }

    @Test
    void at_an_open_host_a_callback_that_was_not_silent_is_tried_at_once_in_each_pause() {
      HostBulkheads windows = windows(32, 100);
      for (int i = 0; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
        hear(enter(windows), Reachability.SILENT, "silent" + i);
      }
      assertThat(windows.mayTry("host", "silent0")).isFalse();
      assertThat(windows.mayTry("host", "new")).isTrue();

      windows.enter("host", named("new"));
      assertThat(begun).containsExactly("new");
      assertThat(windows.mayTry("host", "newer")).isFalse();
      hear(permits.remove(), Reachability.SILENT, "new");
      assertThat(windows.mayTry("host", "newer")).isFalse();

      windows.enterNext("host", named("probe"));
      timer.advance(HostBulkhead.FIRST_PAUSE);
      assertThat(begun).containsExactly("new", "probe");
      hear(permits.remove(), Reachability.SILENT, "silent0");
      windows.enter("host", named("newer"));
      hear(permits.remove(), Reachability.ANSWERED, "newer");

      assertThat(windows.holdsBack("host")).isFalse();
      assertThat(windows.isSilentByItself("host", "silent0")).isTrue();
    }

    @Test
    void the_pause_begins_at_seconds_again_after_each_answer() {
      HostBulkheads windows = windows(32, 100);
      for (int times = 0; times < 3; times++) {
        for (int i = 0; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
          hear(enter(windows), Reachability.SILENT, "silent");
        }
        java.time.Instant before = timer.now();
        windows.enterNext("host", named("probe"));
        timer.advanceTo(timer.nextAt().orElseThrow());
        assertThat(Duration.between(before, timer.now()))
            .isLessThanOrEqualTo(HostBulkhead.FIRST_PAUSE);
        hear(permits.remove(), Reachability.SILENT, "silent");
        windows.enter("host", named("good"));
        hear(permits.remove(), Reachability.ANSWERED, "good");
        timer.advance(SilentCallbacks.ANSWER_COUNTS_FOR);
      }
    }

    @Test
    void a_host_is_shown_with_its_state_latency_and_next_probe() {
      HostBulkheads windows = windows(4, 100);
      HostBulkheads.Permit slow = windows.tryEnter("slow").orElseThrow();
      timer.advance(Duration.ofSeconds(2));
      answer(slow);
      assertThat(windows.tryEnter("slow")).isPresent();
      for (int i = 0; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
        silence(windows.tryEnter("dead").orElseThrow());
      }

      assertThat(windows.standings())
          .filteredOn(host -> host.host().equals("slow"))
          .singleElement()
          .satisfies(
              host -> {
                assertThat(host.state()).isEqualTo(CalledHost.State.ANSWERING);
                assertThat(host.latency()).isEqualTo(Duration.ofSeconds(2));
                assertThat(host.underWay()).isEqualTo(1);
                assertThat(host.permits()).isEqualTo(4);
                assertThat(host.nextProbe()).isNull();
              });
      assertThat(windows.standings())
          .filteredOn(host -> host.host().equals("dead"))
          .singleElement()
          .satisfies(
              host -> {
                assertThat(host.state()).isEqualTo(CalledHost.State.OPEN);
                assertThat(host.latency()).isNull();
                assertThat(host.permits()).isEqualTo(1);
                assertThat(host.nextProbe()).isAfter(timer.now());
              });
    }

    @Test
    void no_more_than_so_many_are_remembered() {
      HostBulkheads windows = withSilent(SilentCallbacks.MAX_REMEMBERED + 1);

      assertThat(windows.isSilentByItself("host", "silent0")).isFalse();
      assertThat(windows.isSilentByItself("host", "silent1")).isTrue();
    }
  }

  @Nested
  class Memory {

    @Test
    void hosts_are_forgotten_when_there_is_nothing_to_do_for_them() {
      HostBulkheads windows = windows(4, 100);
      prove(windows, "one", 1);
      for (int i = 0; i < HostBulkhead.SILENCES_TO_OPEN; i++) {
        silence(windows.tryEnter("dead").orElseThrow());
      }
      windows.tryEnter("unheard").orElseThrow().leave();
      assertThat(windows.standings()).hasSize(2);

      timer.advance(KnownHosts.REMEMBERED_FOR.plusSeconds(1));
      prove(windows, "two", 1);

      assertThat(windows.standings()).hasSize(1);
      assertThat(windows.open()).isZero();
      assertThat(timer.waiting()).isZero();
    }

    @Test
    void no_more_than_so_many_are_remembered() {
      HostBulkheads windows = windows(4, 100);
      for (int i = 0; i < KnownHosts.MAX_REMEMBERED + 100; i++) {
        prove(windows, "host" + i, 1);
      }
      assertThat(windows.standings()).hasSize(KnownHosts.MAX_REMEMBERED);
    }

    @Test
    void one_that_was_refused_leaves_nothing_behind() {
      HostBulkheads windows = windows(4, 1);
      windows.enter("one", named("one"));
      for (int i = 0; i < 100; i++) {
        assertThat(windows.tryEnter("host" + i)).isEmpty();
      }
      assertThat(windows.standings()).hasSize(1);
    }
  }

  /** Whatever comes: never over a bound, and nobody is forgotten. */
  @Nested
  class Properties {

    private static final int HOSTS = 12;
    private static final int DEAD = 4;
    private static final int STEPS = 4_000;
    private static final List<Reachability> CONTACTS = List.of(Reachability.values());

    private final DeliveryBounds bounds = new DeliveryBounds(5, 14, 8, 7, 4);

    private final class Run {
      private final Random random;
      private final HostBulkheads windows;
      private final List<HostBulkheads.Permit> under = new ArrayList<>();
      private final List<String> hosts = new ArrayList<>();
      private final int[] perHost = new int[HOSTS];
      private final boolean[] ticket = new boolean[HOSTS];
      private int entered;
      private int withdrawn;
      private int begun;
      private int catchingUp;
      private boolean draining;
      private final List<DeliveryKind> kinds = new ArrayList<>();

      Run(long seed) {
        random = new Random(seed);
        windows = new HostBulkheads(bounds, timer, random);
      }

      private void begin(int host, DeliveryKind kind, HostBulkheads.Permit permit) {
        begun++;
        perHost[host]++;
        catchingUp += kind == DeliveryKind.CATCH_UP ? 1 : 0;
        under.add(permit);
        hosts.add("h" + host);
        kinds.add(kind);
        assertThat(perHost[host]).isLessThanOrEqualTo(bounds.perHost());
        assertThat(under.size()).isLessThanOrEqualTo(bounds.total());
        assertThat(catchingUp).isLessThanOrEqualTo(bounds.catchUp());
        if (windows.holdsBack("h" + host)) {
          // Rounds have one trial in each pause.
          assertThat(kind == DeliveryKind.ROUND || perHost[host] == 1).isTrue();
        }
      }

      /** Ends one of them; a few hosts are as good as dead. */
      private void end(Reachability asked) {
        int which = random.nextInt(under.size());
        HostBulkheads.Permit permit = under.remove(which);
        int host = Integer.parseInt(hosts.remove(which).substring(1));
        boolean dead = host < DEAD && !draining && random.nextInt(20) > 0;
        Reachability contact = dead ? Reachability.SILENT : asked;
        perHost[host]--;
        catchingUp -= kinds.remove(which) == DeliveryKind.CATCH_UP ? 1 : 0;
        permit.heard(contact, CALLBACK);
        permit.leave();
      }

      void step() {
        int host = random.nextInt(HOSTS);
        String name = "h" + host;
        switch (random.nextInt(6)) {
          case 0, 1 -> {
            if (!windows.holdsBack(name)) {
              entered++;
              HostBulkheads.Waiting waiting = permit -> begin(host, DeliveryKind.ROUND, permit);
              windows.enter(name, waiting);
              if (random.nextInt(10) == 0 && windows.withdraw(name, waiting)) {
                withdrawn++;
              }
            }
          }
          case 2 -> {
            if (!ticket[host]) {
              ticket[host] = true;
              entered++;
              windows.enterNext(
                  name,
                  permit -> {
                    ticket[host] = false;
                    begin(host, DeliveryKind.CATCH_UP, permit);
                  });
            }
          }
          case 3 -> {
            Optional<HostBulkheads.Permit> permit = windows.tryEnter(name);
            if (permit.isPresent()) {
              entered++;
              begin(host, DeliveryKind.CATCH_UP, permit.get());
            }
          }
          case 4 -> {
            if (!under.isEmpty()) {
              end(CONTACTS.get(random.nextInt(CONTACTS.size())));
            }
          }
          default -> timer.advance(Duration.ofMillis(random.nextInt(5_000)));
        }
        assertThat(windows.inFlight()).isEqualTo(under.size());
      }

      /** From now on everybody answers: all who wait must have their turn. */
      void drain() {
        draining = true;
        for (int quiet = 0; quiet < 3; quiet++) {
          while (!under.isEmpty()) {
            end(Reachability.ANSWERED);
            quiet = 0;
          }
          // A round that waits at an open host is served once catch-up's probe was answered.
          for (int host = 0; host < HOSTS; host++) {
            int number = host;
            if (windows.holdsBack("h" + host) && !ticket[host]) {
              ticket[host] = true;
              entered++;
              windows.enterNext(
                  "h" + host,
                  permit -> {
                    ticket[number] = false;
                    begin(number, DeliveryKind.CATCH_UP, permit);
                  });
            }
          }
          timer.advance(HostBulkhead.LONGEST_PAUSE);
        }
        assertThat(begun + withdrawn).isEqualTo(entered);
        assertThat(windows.inFlight()).isZero();
        assertThat(windows.open()).isZero();
      }
    }

    @Test
    void never_over_a_bound_and_nobody_is_forgotten() {
      for (long seed = 0; seed < 40; seed++) {
        Run run = new Run(seed);
        for (int i = 0; i < STEPS; i++) {
          run.step();
        }
        run.drain();
      }
    }
  }
}
