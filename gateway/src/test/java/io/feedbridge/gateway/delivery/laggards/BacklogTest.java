package io.feedbridge.gateway.delivery.laggards;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.Bed;
import io.feedbridge.gateway.delivery.hosts.DeliveryBounds;
import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.deliveries.Laggards;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Which host's turn it is. */
class BacklogTest {

  private final ManualTimer timer = new ManualTimer(Bed.START);
  private final HostBulkheads windows =
      new HostBulkheads(DeliveryBounds.of(4), timer, new Random(1));
  private Backlog backlog = looked(new Backlog(timer.clock()));

  /** A backlog of a store in which nobody lagged at the start. */
  private static Backlog looked(Backlog backlog) {
    backlog.found(List.of());
    return backlog;
  }

  private Instant in(Duration time) {
    return timer.now().plus(time);
  }

  private Optional<String> next() {
    return backlog.next().map(Backlog.DueHost::host);
  }

  @Nested
  class Turns {

    @Test
    void hosts_take_turns_and_one_that_has_more_stands_in_line_again() {
      backlog.due("a", timer.now());
      backlog.due("b", timer.now());

      List<String> turns = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        String host = next().orElseThrow();
        turns.add(host);
        backlog.again(host);
      }

      assertThat(turns).containsExactly("a", "b", "a", "b", "a");
    }

    @Test
    void one_that_is_due_later_has_its_turn_then() {
      backlog.due("a", in(Duration.ofSeconds(5)));
      backlog.due("b", in(Duration.ofSeconds(2)));
      assertThat(next()).isEmpty();
      assertThat(backlog.nextAt()).contains(in(Duration.ofSeconds(2)));

      backlog.due("a", in(Duration.ofSeconds(1)));
      backlog.due("a", in(Duration.ofSeconds(9)));
      assertThat(backlog.nextAt()).contains(in(Duration.ofSeconds(1)));
      timer.advance(Duration.ofSeconds(1));
      assertThat(next()).contains("a");
      assertThat(next()).isEmpty();
    }

    @Test
    void one_that_was_looked_at_comes_back_when_its_next_is_due_or_not_at_all() {
      backlog.due("a", timer.now());
      backlog.due("b", timer.now());
      next();
      next();

      backlog.lookedAt("a", Optional.of(in(Duration.ofSeconds(3))));
      backlog.lookedAt("b", Optional.empty());

      assertThat(backlog.nextAt()).contains(in(Duration.ofSeconds(3)));
      assertThat(backlog.size()).isEqualTo(1);
    }

    @Test
    void what_is_told_of_a_host_while_it_is_looked_at_is_not_lost() {
      backlog.due("a", timer.now());
      backlog.due("b", timer.now());
      next();
      next();
      backlog.due("a", timer.now());
      backlog.due("b", in(Duration.ofSeconds(1)));

      backlog.lookedAt("a", Optional.empty());
      backlog.lookedAt("b", Optional.of(in(Duration.ofSeconds(7))));

      assertThat(next()).contains("a");
      assertThat(backlog.nextAt()).contains(in(Duration.ofSeconds(1)));
    }

    @Test
    void one_that_waits_for_a_place_costs_nothing_until_it_has_one() {
      backlog.due("a", timer.now());
      next();
      backlog.waits("a");
      backlog.due("a", timer.now());
      assertThat(next()).isEmpty();
      assertThat(backlog.nextAt()).isEmpty();

      HostBulkheads.Permit permit = windows.tryEnter("a").orElseThrow();
      assertThat(backlog.granted("a", permit)).isTrue();

      assertThat(backlog.next()).contains(new Backlog.DueHost("a", Optional.of(permit)));
    }

    @Test
    void at_a_stop_places_are_given_back_and_nobody_has_a_turn() {
      backlog.due("a", timer.now());
      next();
      backlog.waits("a");
      HostBulkheads.Permit permit = windows.tryEnter("a").orElseThrow();
      backlog.granted("a", permit);

      assertThat(backlog.close()).containsExactly(permit);

      assertThat(next()).isEmpty();
      assertThat(backlog.granted("a", permit)).isFalse();
    }
  }

  @Nested
  class Bounds {

    private static final int MOST = 10;

    /** The hosts of a store with the time at which the first laggard of each is due. */
    private final TreeMap<String, Instant> store = new TreeMap<>();

    private void lookThrough() {
      Optional<String> after = backlog.toLookThrough();
      while (after.isPresent()) {
        List<Laggards.Host> page =
            store.tailMap(after.get(), false).entrySet().stream()
                .limit(Backlog.PAGE)
                .map(entry -> new Laggards.Host(entry.getKey(), entry.getValue()))
                .toList();
        backlog.found(page);
        after = backlog.toLookThrough();
      }
    }

    @Test
    void the_store_is_looked_through_page_by_page_at_the_start() {
      backlog = new Backlog(timer.clock());
      for (int i = 0; i < 2 * Backlog.PAGE; i++) {
        store.put("host%05d".formatted(i), timer.now());
      }
      assertThat(backlog.nextAt()).contains(timer.now());

      lookThrough();

      assertThat(backlog.size()).isEqualTo(2 * Backlog.PAGE);
      assertThat(backlog.toLookThrough()).isEmpty();
    }

    @Test
    void of_too_many_hosts_those_that_are_due_first_are_kept() {
      backlog = looked(new Backlog(timer.clock(), MOST));
      for (int i = 0; i < 5 * MOST; i++) {
        // In no order.
        int seconds = 1 + (i * 7) % (5 * MOST);
        backlog.due("host" + seconds, in(Duration.ofSeconds(seconds)));
      }
      assertThat(backlog.size()).isEqualTo(MOST);

      timer.advance(Duration.ofSeconds(MOST));
      for (int i = 1; i <= MOST; i++) {
        assertThat(next()).contains("host" + i);
      }
    }

    @Test
    void of_any_number_of_hosts_each_has_its_turn_in_the_end() {
      backlog = new Backlog(timer.clock(), MOST);
      for (int i = 0; i < 20 * MOST; i++) {
        store.put("host%05d".formatted(i), timer.now().plusSeconds(i % 7));
      }
      List<String> served = new ArrayList<>();
      while (!store.isEmpty()) {
        lookThrough();
        assertThat(backlog.size()).isLessThanOrEqualTo(MOST);
        Optional<String> host = next();
        if (host.isPresent()) {
          served.add(host.get());
          store.remove(host.get());
          backlog.lookedAt(host.get(), Optional.empty());
        } else {
          timer.advanceTo(backlog.nextAt().orElseThrow());
        }
      }
      assertThat(served).hasSize(20 * MOST).doesNotHaveDuplicates();
    }
  }
}
