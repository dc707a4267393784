package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.HostGate.Haste;
import io.feedbridge.gateway.schedule.ManualTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How many fetches there are at once, from whom, and in which order. */
class HostGateTest {

  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration DAY = Duration.ofHours(24);

  private final ManualTimer timer = new ManualTimer(NOW);
  private HostGate gate = new HostGate(PAUSE, DAY, timer);
  private final List<String> begun = new ArrayList<>();
  private final List<HostGate.Pass> passes = new ArrayList<>();

  private Optional<Instant> ask(String host, Haste haste, String name) {
    return gate.ask(
        host,
        haste,
        pass -> {
          begun.add(name);
          passes.add(pass);
        });
  }

  private void leave(int which) {
    passes.get(which).leave(true);
  }

  @Test
  void a_host_has_two_fetches_at_once_and_no_more() {
    for (int i = 0; i < 5; i++) {
      assertThat(ask("a.example", Haste.PING, "a" + i)).isEmpty();
    }
    ask("b.example", Haste.PING, "b");

    assertThat(begun).containsExactly("a0", "a1", "b");
    leave(0);
    assertThat(begun).containsExactly("a0", "a1", "b", "a2");
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
  void pings_go_before_first_fetches_and_those_before_polls() {
    ask("a.example", Haste.PING, "one");
    ask("a.example", Haste.PING, "two");
    ask("a.example", Haste.POLL, "poll");
    ask("a.example", Haste.FIRST, "first");
    ask("a.example", Haste.PING, "ping");

    leave(0);
    assertThat(begun).endsWith("ping");
    leave(1);
    assertThat(begun).endsWith("first");
    leave(2);
    timer.advance(PAUSE);
    assertThat(begun).endsWith("poll");
  }

  @Test
  void what_waits_for_one_host_has_a_bound_and_the_others_come_again_one_after_the_other() {
    List<Instant> later = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      ask("a.example", Haste.POLL, "poll").ifPresent(later::add);
    }

    assertThat(later).hasSize(1_000 - 1 - HostGate.WAITING_PER_HOST);
    assertThat(later).doesNotHaveDuplicates().isSorted();
    assertThat(later.get(0)).isAfter(NOW.plus(PAUSE.multipliedBy(HostGate.WAITING_PER_HOST)));
    assertThat(ask("b.example", Haste.POLL, "other")).isEmpty();
    assertThat(begun).contains("other");
  }

  @Test
  void one_host_with_thousands_of_feeds_gets_no_more_than_its_share() {
    gate = new HostGate(Duration.ZERO, DAY, timer);
    for (int i = 0; i < 2_000; i++) {
      ask("large.example", Haste.POLL, "large");
    }
    for (int i = 0; i < 30; i++) {
      ask("small" + i + ".example", Haste.POLL, "small");
    }

    assertThat(begun.stream().filter("large"::equals)).hasSize(HostGate.PER_HOST);
    assertThat(begun.stream().filter("small"::equals)).hasSize(30);
  }

  @Test
  void silent_hosts_share_a_part_of_the_places() {
    int hosts = HostGate.AT_ONCE;
    for (int i = 0; i < hosts; i++) {
      ask("silent" + i + ".example", Haste.PING, "first");
    }
    for (int i = 0; i < hosts; i++) {
      passes.get(i).leave(false);
    }
    begun.clear();

    int turnedAway = 0;
    for (int i = 0; i < hosts; i++) {
      Optional<Instant> later = ask("silent" + i + ".example", Haste.PING, "silent");
      assertThat(later).isIn(Optional.empty(), Optional.of(NOW.plus(HostGate.SILENT_PAUSE)));
      turnedAway += later.isPresent() ? 1 : 0;
    }
    ask("well.example", Haste.POLL, "well");

    assertThat(begun.stream().filter("silent"::equals)).hasSize(HostGate.AT_SILENT_HOSTS);
    assertThat(turnedAway).isEqualTo(hosts - HostGate.AT_SILENT_HOSTS);
    assertThat(begun).contains("well");
  }

  @Test
  void there_is_a_bound_for_all_hosts_together_and_they_take_turns() {
    for (int i = 0; i < HostGate.AT_ONCE; i++) {
      ask("host" + i + ".example", Haste.PING, "one");
    }
    ask("host0.example", Haste.PING, "two");
    ask("last.example", Haste.PING, "last");
    assertThat(begun).hasSize(HostGate.AT_ONCE);

    leave(5);
    leave(6);

    assertThat(begun).hasSize(HostGate.AT_ONCE + 2).contains("two", "last");
  }

  @Test
  void a_host_that_asked_to_be_left_alone_is_even_if_somebody_pings() {
    gate.rest("a.example", NOW.plus(Duration.ofHours(1)));

    assertThat(ask("a.example", Haste.PING, "ping")).contains(NOW.plus(Duration.ofHours(1)));
    timer.advance(Duration.ofHours(1));
    assertThat(ask("a.example", Haste.PING, "ping")).isEmpty();
    assertThat(begun).containsExactly("ping");
  }

  @Test
  void a_closed_gate_lets_nobody_pass() {
    ask("a.example", Haste.PING, "one");
    ask("a.example", Haste.PING, "two");
    ask("a.example", Haste.PING, "three");

    gate.close();
    leave(0);

    assertThat(begun).containsExactly("one", "two");
  }
}
