package io.feedbridge.gateway.ingest.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.hosts.OriginWindow.Ending;
import io.feedbridge.gateway.schedule.ManualTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How many fetches there are at once, from which host, and in which order. */
class HostGateTest {

  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration DAY = Duration.ofHours(24);
  private static final Duration TRICKLE = OriginWindow.SLOW.plusMillis(1);

  private final ManualTimer timer = new ManualTimer(NOW);
  private final HostPauses pauses = new HostPauses(DAY, timer.clock());
  private HostGate gate = new HostGate(PAUSE, pauses, timer);
  private final List<String> begun = new ArrayList<>();
  private final List<HostGate.Pass> passes = new ArrayList<>();

  private HostGate.Answer answer(String host, Haste haste, String name) {
    return gate.ask(
        Origin.of("http://" + host + "/feed"),
        haste,
        pass -> {
          begun.add(name);
          passes.add(pass);
        });
  }

  /** When to come again, if there was no room. */
  private Optional<Instant> ask(String host, Haste haste, String name) {
    return answer(host, haste, name) instanceof HostGate.ComeAgain later
        ? Optional.of(later.at())
        : Optional.empty();
  }

  private void leave(int which) {
    passes.get(which).leave(Ending.ANSWERED);
  }

  /** Answers each fetch that was begun, and those that this begins, at once and well. */
  private void answerAll() {
    for (int i = 0; i < passes.size(); i++) {
      leave(i);
    }
  }

  /** One prompt fetch, so that the host is known. */
  private void prove(String host) {
    ask(host, Haste.PING, "proof");
    passes.get(passes.size() - 1).leave(Ending.ANSWERED);
    passes.clear();
    begun.clear();
  }

  private long count(String name) {
    return begun.stream().filter(name::equals).count();
  }

  @Test
  void an_unknown_host_has_two_fetches_at_once() {
    for (int i = 0; i < 5; i++) {
      assertThat(ask("a.example", Haste.PING, "a" + i)).isEmpty();
    }
    ask("b.example", Haste.PING, "b");

    assertThat(begun).containsExactly("a0", "a1", "b");
  }

  @Test
  void a_host_that_answers_promptly_gets_more_at_once_up_to_a_bound() {
    for (int i = 0; i < 200; i++) {
      ask("a.example", Haste.PING, "a");
    }
    int open = 2;
    for (int i = 0; i < 30; i++) {
      leave(i);
      open = begun.size() - i - 1;
    }

    assertThat(open).isEqualTo(OriginWindow.MOST);
  }

  @Test
  void errors_refusals_and_slowness_take_half_of_what_a_host_gets() {
    OriginWindow window = new OriginWindow();
    for (int i = 0; i < 30; i++) {
      window.ended(Ending.ANSWERED, Duration.ZERO, true);
    }
    assertThat(window.size()).isEqualTo(16);

    window.ended(Ending.REFUSED, Duration.ZERO, true);
    assertThat(window.size()).isEqualTo(8);
    window.ended(Ending.ANSWERED, TRICKLE, true);
    assertThat(window.size()).isEqualTo(4);
    window.ended(Ending.SILENT, Duration.ZERO, true);
    assertThat(window.size()).isEqualTo(2);

    // From there it grows by one each time that all it has were answered.
    window.ended(Ending.ANSWERED, Duration.ZERO, true);
    assertThat(window.size()).isEqualTo(2);
    window.ended(Ending.ANSWERED, Duration.ZERO, true);
    window.ended(Ending.ANSWERED, Duration.ZERO, true);
    assertThat(window.size()).isEqualTo(3);
  }

  @Test
  void long_documents_are_no_reason_for_more_at_once() {
    OriginWindow window = new OriginWindow();
    for (int i = 0; i < 30; i++) {
      window.ended(Ending.LONG, Duration.ZERO, true);
    }

    assertThat(window.size()).isEqualTo(OriginWindow.FIRST);
    assertThat(window.standing()).isEqualTo(OriginWindow.Standing.PROMPT);
  }

  @Test
  void what_the_gateway_itself_cut_short_says_nothing_of_a_host() {
    OriginWindow window = new OriginWindow();

    window.ended(Ending.OWN, TRICKLE, true);

    assertThat(window.size()).isEqualTo(OriginWindow.FIRST);
    assertThat(window.standing()).isEqualTo(OriginWindow.Standing.UNPROVEN);
  }

  @Test
  void polls_of_one_host_keep_the_pause_and_pings_do_not_wait_for_it() {
    ask("a.example", Haste.POLL, "one");
    leave(0);
    ask("a.example", Haste.POLL, "two");
    ask("b.example", Haste.POLL, "other");
    ask("a.example", Haste.PING, "ping");
    assertThat(begun).containsExactly("one", "other", "ping");

    timer.advance(PAUSE.minusMillis(1));
    assertThat(begun).hasSize(3);
    timer.advance(Duration.ofMillis(1));

    assertThat(begun).containsExactly("one", "other", "ping", "two");
  }

  @Test
  void a_thousand_pings_of_a_prompt_host_beside_its_polls_are_fetched_without_any_pause() {
    for (int i = 0; i < 10_000; i++) {
      ask("a.example", Haste.POLL, "poll");
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(ask("a.example", Haste.PING, "ping")).isEmpty();
    }

    answerAll();

    assertThat(count("ping")).isEqualTo(1_000);
    assertThat(timer.now()).isEqualTo(NOW);
  }

  @Test
  void first_fetches_do_not_wait_for_the_pause() {
    for (int i = 0; i < 100; i++) {
      assertThat(ask("a.example", Haste.FIRST, "first")).isEmpty();
    }

    answerAll();

    assertThat(count("first")).isEqualTo(100);
    assertThat(timer.now()).isEqualTo(NOW);
  }

  @Test
  void pings_go_before_first_fetches_and_those_before_polls() {
    ask("a.example", Haste.PING, "one");
    ask("a.example", Haste.PING, "two");
    ask("a.example", Haste.POLL, "poll");
    ask("a.example", Haste.FIRST, "first");
    ask("a.example", Haste.PING, "ping");

    passes.get(0).leave(Ending.OWN);
    assertThat(begun).endsWith("ping");
    passes.get(1).leave(Ending.OWN);
    assertThat(begun).endsWith("first");
    passes.get(2).leave(Ending.OWN);
    assertThat(begun).endsWith("poll");
  }

  @Test
  void polls_that_wait_for_one_host_have_a_bound_and_the_others_come_again_one_after_the_other() {
    List<Instant> later = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      ask("a.example", Haste.POLL, "poll").ifPresent(later::add);
    }

    assertThat(later).hasSize(1_000 - 1 - HostGate.WAITING_POLLS_PER_HOST);
    assertThat(later).doesNotHaveDuplicates().isSorted();
    assertThat(later.get(0)).isAfter(NOW.plus(PAUSE.multipliedBy(HostGate.WAITING_POLLS_PER_HOST)));
    assertThat(ask("b.example", Haste.POLL, "other")).isEmpty();
    assertThat(begun).contains("other");
  }

  @Test
  void a_ping_that_finds_no_room_comes_again_at_the_pace_of_the_host_and_not_of_the_polls() {
    List<Instant> later = new ArrayList<>();
    for (int i = 0; i < HostGate.WAITING_PER_HOST + OriginWindow.FIRST + 100; i++) {
      ask("a.example", Haste.PING, "ping").ifPresent(later::add);
    }

    assertThat(later).hasSize(100);
    assertThat(later.get(99)).isBefore(NOW.plus(HostGate.HASTY_PAUSE).plusSeconds(6));
  }

  @Test
  void hosts_that_are_not_known_leave_room_to_wait_for_those_that_are() {
    prove("well.example");
    for (int i = 0; i < HostGate.MAX_WAITING; i++) {
      ask("unknown" + i % 20 + ".example", Haste.PING, "unknown");
    }

    assertThat(ask("unknown.example", Haste.PING, "unknown")).isPresent();
    assertThat(ask("well.example", Haste.PING, "well")).isEmpty();
    assertThat(begun).contains("well");
  }

  @Test
  void a_poll_that_waits_can_be_taken_back_once() {
    ask("a.example", Haste.POLL, "one");
    HostGate.Ticket ticket = (HostGate.Ticket) answer("a.example", Haste.POLL, "two");

    assertThat(ticket.waits()).isTrue();
    assertThat(ticket.withdraw()).isTrue();
    assertThat(ticket.withdraw()).isFalse();
    timer.advance(PAUSE);

    assertThat(begun).containsExactly("one");
  }

  @Test
  void all_ports_of_a_machine_are_one_host() {
    for (int port = 8_000; port < 8_034; port++) {
      for (int i = 0; i < 4; i++) {
        ask("127.0.0.1:" + port, Haste.PING, "trickle");
      }
    }

    assertThat(begun).hasSize(OriginWindow.FIRST);
  }

  @Test
  void fetches_that_trickle_leave_places_for_prompt_hosts_and_their_pings() {
    prove("well.example");
    for (int i = 0; i < 200; i++) {
      ask("slow" + i + ".example", Haste.PING, "trickle");
    }
    assertThat(begun).hasSize(FetchPermits.AT_UNPROVEN);

    ask("well.example", Haste.POLL, "poll");
    ask("well.example", Haste.PING, "ping");

    assertThat(begun).endsWith("poll", "ping");
  }

  @Test
  void a_fetch_that_takes_too_long_gives_its_place_back_and_its_host_counts_as_slow() {
    for (int i = 0; i < FetchPermits.AT_UNPROVEN; i++) {
      ask("slow" + i + ".example", Haste.PING, "trickle");
    }
    ask("new.example", Haste.PING, "new");
    assertThat(begun).doesNotContain("new");

    timer.advance(TRICKLE.plusSeconds(1));

    assertThat(begun).contains("new");
    assertThat(ask("slow0.example", Haste.PING, "again"))
        .contains(timer.now().plus(HostGate.SLOW_PAUSE));
  }

  @Test
  void prompt_hosts_that_begin_to_trickle_leave_places_for_other_prompt_hosts() {
    int bad = 64;
    for (int i = 0; i < bad; i++) {
      prove("bad" + i + ".example");
    }
    prove("well.example");
    for (int i = 0; i < bad; i++) {
      ask("bad" + i + ".example", Haste.PING, "trickle");
    }
    assertThat(count("trickle")).isEqualTo(FetchPermits.AT_ONCE);

    timer.advance(OriginWindow.PROMPT.plusMillis(1));
    ask("well.example", Haste.PING, "ping");

    assertThat(begun).endsWith("ping");
  }

  @Test
  void silent_hosts_share_a_part_of_the_places() {
    int hosts = FetchPermits.AT_UNPROVEN;
    for (int i = 0; i < hosts; i++) {
      ask("silent" + i + ".example", Haste.PING, "first");
    }
    for (int i = 0; i < hosts; i++) {
      passes.get(i).leave(Ending.SILENT);
    }
    begun.clear();

    int turnedAway = 0;
    for (int i = 0; i < hosts; i++) {
      Optional<Instant> later = ask("silent" + i + ".example", Haste.PING, "silent");
      assertThat(later).isIn(Optional.empty(), Optional.of(NOW.plus(HostGate.SLOW_PAUSE)));
      turnedAway += later.isPresent() ? 1 : 0;
    }
    ask("well.example", Haste.POLL, "well");

    assertThat(count("silent")).isEqualTo(FetchPermits.AT_SLOW);
    assertThat(turnedAway).isEqualTo(hosts - FetchPermits.AT_SLOW);
    assertThat(begun).contains("well");
  }

  @Test
  void there_is_a_bound_for_all_hosts_together_and_they_take_turns() {
    for (int i = 0; i < FetchPermits.AT_ONCE; i++) {
      prove("host" + i + ".example");
    }
    prove("last.example");
    for (int i = 0; i < FetchPermits.AT_ONCE; i++) {
      ask("host" + i + ".example", Haste.PING, "one");
    }
    ask("host0.example", Haste.PING, "two");
    ask("last.example", Haste.PING, "last");
    assertThat(begun).hasSize(FetchPermits.AT_ONCE);

    leave(5);
    leave(6);

    assertThat(begun).hasSize(FetchPermits.AT_ONCE + 2).contains("two", "last");
  }

  @Test
  void polls_leave_places_for_pings() {
    for (int i = 0; i < FetchPermits.AT_ONCE + 1; i++) {
      prove("host" + i + ".example");
    }
    for (int i = 0; i < FetchPermits.AT_ONCE; i++) {
      ask("host" + i + ".example", Haste.POLL, "poll");
    }
    assertThat(begun).hasSize(FetchPermits.AT_ONCE - FetchPermits.FOR_PINGS);

    ask("host" + FetchPermits.AT_ONCE + ".example", Haste.PING, "ping");

    assertThat(begun).endsWith("ping");
  }

  @Test
  void a_server_that_asked_to_be_left_alone_is_even_if_a_ping_comes_and_its_neighbours_are_not() {
    pauses.grant(Origin.of("http://a.example:81/feed"), Duration.ofHours(1));

    assertThat(ask("a.example:81", Haste.PING, "ping")).contains(NOW.plus(Duration.ofHours(1)));
    assertThat(ask("a.example", Haste.PING, "neighbour")).isEmpty();
    leave(0);
    timer.advance(Duration.ofHours(1));
    assertThat(ask("a.example:81", Haste.PING, "ping")).isEmpty();
    assertThat(begun).containsExactly("neighbour", "ping");
  }

  @Test
  void whoever_is_to_come_again_is_told_why() {
    pauses.grant(Origin.of("http://resting.example/feed"), Duration.ofHours(1));
    for (int i = 0; i < FetchPermits.AT_UNPROVEN; i++) {
      ask("slow" + i + ".example", Haste.PING, "trickle");
    }
    timer.advance(TRICKLE.plusSeconds(1));

    assertThat(answer("resting.example", Haste.PING, "ping"))
        .extracting("reason")
        .isEqualTo("its host requested a pause (Retry-After)");
    assertThat(answer("slow0.example", Haste.PING, "ping"))
        .extracting("reason")
        .asString()
        .contains("its host is slow");
  }

  @Test
  void a_place_is_given_back_once_however_often_it_is_left() {
    ask("a.example", Haste.PING, "one");
    ask("a.example", Haste.PING, "two");
    ask("a.example", Haste.PING, "three");
    ask("a.example", Haste.PING, "four");

    passes.get(0).leave(Ending.OWN);
    passes.get(0).leave(Ending.OWN);

    assertThat(begun).containsExactly("one", "two", "three");
  }

  @Test
  void a_closed_gate_lets_no_fetch_pass() {
    ask("a.example", Haste.PING, "one");
    ask("a.example", Haste.PING, "two");
    ask("a.example", Haste.PING, "three");

    gate.close();
    leave(0);

    assertThat(begun).containsExactly("one", "two");
  }
}
