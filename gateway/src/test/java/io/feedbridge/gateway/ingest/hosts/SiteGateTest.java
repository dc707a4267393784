package io.feedbridge.gateway.ingest.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.ingest.hosts.SiteGate.Wait;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.SitePace;
import io.feedbridge.gateway.store.feeds.SitePaces;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The turns of fetches at sites that permit few requests. */
class SiteGateTest {

  private static final Instant START = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration PERMITTED = Duration.ofSeconds(30);
  private static final Origin REDDIT = Origin.of("https://www.reddit.com/r/java/.rss");
  private static final Origin OTHER = Origin.of("https://example.org/feed");
  private static final SiteAnswer REFUSED = new SiteAnswer(429, Optional.empty(), RateLimit.NONE);

  private final ManualTimer timer = new ManualTimer(START);
  private final Map<String, SitePace> kept = new HashMap<>();
  private Consumer<SitePace> beforeKept = pace -> {};
  private SiteGate gate = gate("");

  private SiteGate gate(String given) {
    List<String> paces = given.isEmpty() ? List.of() : List.of(given);
    return new SiteGate(GivenPaces.of(paces), store(), DAY, timer.clock());
  }

  private SitePaces store() {
    return new SitePaces() {
      @Override
      public List<SitePace> newest(int limit) {
        return kept.values().stream()
            .sorted(Comparator.comparing(SitePace::learntAt).reversed())
            .limit(limit)
            .toList();
      }

      @Override
      public CompletableFuture<Void> keep(SitePace pace) {
        beforeKept.accept(pace);
        kept.put(pace.site(), pace);
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public CompletableFuture<Void> forget(String site) {
        kept.remove(site);
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public CompletableFuture<Void> keepNewest(int most) {
        kept.values().retainAll(newest(most));
        return CompletableFuture.completedFuture(null);
      }
    };
  }

  /** A feed that is due. */
  private record Due(Instant at, long feed) {}

  /** A site that permits one request in 30 s, and how it tells. */
  private static final class Strict {
    private final boolean tells;
    private Instant last = Instant.MIN;
    private final Map<Long, Integer> fetched = new HashMap<>();
    private final Map<Long, Integer> refused = new HashMap<>();
    private final List<Long> order = new ArrayList<>();

    Strict(boolean tells) {
      this.tells = tells;
    }

    SiteAnswer ask(long feed, Instant now) {
      boolean early = last.isAfter(now.minus(PERMITTED));
      (early ? refused : fetched).merge(feed, 1, Integer::sum);
      if (early) {
        long left = Duration.between(now, last.plus(PERMITTED)).toSeconds();
        return new SiteAnswer(429, Optional.empty(), tells ? left(left) : RateLimit.NONE);
      }
      order.add(feed);
      last = now;
      return new SiteAnswer(200, Optional.empty(), tells ? left(30) : RateLimit.NONE);
    }

    private RateLimit left(long seconds) {
      return new RateLimit(0L, Duration.ofSeconds(seconds));
    }
  }

  /** Has feeds fetched for so long; each is due when it is told to come again, some ms later. */
  private void run(Strict site, int feeds, Duration time, Duration period) {
    PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparing(Due::at));
    for (int i = 1; i <= feeds; i++) {
      due.add(new Due(timer.now().plusMillis(i), i));
    }
    Instant end = timer.now().plus(time);
    while (due.peek().at().isBefore(end)) {
      Due next = due.remove();
      timer.advanceTo(next.at());
      Optional<Wait> wait = gate.early(REDDIT, next.feed(), Haste.POLL);
      if (wait.isPresent()) {
        assertThat(wait.get().at()).isAfter(timer.now());
        due.add(new Due(wait.get().at().plusMillis(next.feed() % 200), next.feed()));
        continue;
      }
      assertThat(gate.pass(REDDIT, next.feed(), Haste.POLL)).isEmpty();
      Instant sentAt = timer.now();
      gate.learn(REDDIT, site.ask(next.feed(), sentAt.plusMillis(next.feed() % 70)), sentAt);
      due.add(new Due(sentAt.plus(period), next.feed()));
      assertThat(gate.early(OTHER, 1_000_000 + next.feed(), Haste.POLL)).isEmpty();
    }
  }

  @Test
  void of_300_feeds_of_a_site_that_tells_its_pace_each_is_fetched_in_turn_and_none_refused_twice() {
    Strict site = new Strict(true);

    run(site, 300, Duration.ofHours(6), Duration.ofHours(1));

    assertThat(site.refused.values()).allMatch(times -> times == 1);
    assertThat(site.refused.size()).isLessThanOrEqualTo(2);
    assertThat(site.fetched).hasSize(300);
    assertThat(site.fetched.values()).allMatch(times -> times >= 2);
  }

  @Test
  void of_300_feeds_of_a_site_that_only_refuses_each_is_fetched_and_none_refused_twice() {
    Strict site = new Strict(false);

    run(site, 300, Duration.ofHours(9), Duration.ofHours(1));

    assertThat(site.refused.values()).allMatch(times -> times == 1);
    assertThat(site.refused.size()).isLessThan(15);
    assertThat(site.fetched).hasSize(300);
    assertThat(site.fetched.values()).allMatch(times -> times >= 1);
  }

  @Test
  void a_given_pace_holds_from_the_first_request_for_all_hosts_of_the_site() {
    gate = gate("reddit.com=1/60s");
    assertThat(gate.pass(REDDIT, 1, Haste.POLL)).isEmpty();

    Wait second = gate.early(Origin.of("https://old.reddit.com/.rss"), 2, Haste.POLL).orElseThrow();

    assertThat(second.at()).isBetween(START.plusSeconds(60), START.plusSeconds(62));
    assertThat(second.reason()).isEqualTo("its site permits one request in 60 s");
    timer.advanceTo(second.at());
    assertThat(gate.early(REDDIT, 3, Haste.POLL)).as("without a turn").isPresent();
    assertThat(gate.early(REDDIT, 2, Haste.POLL)).as("in its turn").isEmpty();
  }

  @Test
  void a_ping_takes_the_turn_of_the_first_poll_which_yields_once() {
    gate = gate("reddit.com=1/60s");
    assertThat(gate.pass(REDDIT, 1, Haste.POLL)).isEmpty();
    Instant first = gate.early(REDDIT, 2, Haste.POLL).orElseThrow().at();

    assertThat(gate.early(REDDIT, 3, Haste.PING).orElseThrow().at()).isEqualTo(first);
    Instant yielded = gate.early(REDDIT, 2, Haste.POLL).orElseThrow().at();
    assertThat(yielded).isAfter(first);
    assertThat(gate.early(REDDIT, 4, Haste.PING).orElseThrow().at()).isAfter(yielded);
    assertThat(gate.early(REDDIT, 3, Haste.PING).orElseThrow().at()).isEqualTo(first);
  }

  @Test
  void a_pace_outlasts_a_restart() {
    gate.learn(REDDIT, REFUSED, START);
    assertThat(kept).containsOnlyKeys("reddit.com");

    gate = gate("");

    assertThat(gate.paced()).isEqualTo(1);
    assertThat(gate.early(REDDIT, 1, Haste.PING).orElseThrow().at())
        .isEqualTo(START.plus(LearntPace.START));
    assertThat(gate.early(OTHER, 2, Haste.POLL)).isEmpty();
  }

  @Test
  void a_rest_that_is_stored_too_long_is_shortened() {
    kept.put(
        "reddit.com",
        new SitePace(
            "reddit.com",
            Duration.ofDays(500),
            Duration.ZERO,
            Instant.EPOCH,
            START.plus(Duration.ofDays(500)),
            START));
    gate = gate("");

    assertThat(gate.early(REDDIT, 1, Haste.POLL).orElseThrow().at()).isEqualTo(START.plus(DAY));
  }

  @Test
  void remembered_sites_are_bounded() {
    for (int i = 0; i < SiteGate.MAX_SITES + 100; i++) {
      gate.learn(Origin.of("https://site" + i + ".example/feed"), REFUSED, START);
    }

    assertThat(gate.paced()).isEqualTo(SiteGate.MAX_SITES);
    assertThat(kept).hasSize(SiteGate.MAX_SITES);
  }

  @Test
  void a_site_with_a_given_pace_is_never_forgotten() {
    gate = gate("reddit.com=1/3600s");
    assertThat(gate.pass(REDDIT, 1, Haste.POLL)).isEmpty();

    for (int i = 0; i < SiteGate.MAX_SITES + 100; i++) {
      gate.learn(Origin.of("https://site" + i + ".example/feed"), REFUSED, START);
    }

    assertThat(gate.paced()).isEqualTo(SiteGate.MAX_SITES);
    assertThat(gate.pass(REDDIT, 2, Haste.POLL)).isPresent();
  }

  @Test
  void a_site_that_is_no_longer_paced_is_stored_no_more() {
    kept.put(
        "reddit.com",
        new SitePace(
            "reddit.com", Duration.ZERO, Duration.ZERO, START, START.plusSeconds(90), START));
    gate = gate("");
    assertThat(gate.early(REDDIT, 1, Haste.POLL)).isPresent();

    timer.advanceTo(START.plusSeconds(100));

    assertThat(gate.early(REDDIT, 1, Haste.POLL)).isEmpty();
    assertThat(gate.paced()).isZero();
    assertThat(kept).isEmpty();
  }

  @Test
  void of_the_stored_sites_the_newest_are_kept_and_the_oldest_goes_first() {
    for (int i = 0; i < SiteGate.MAX_SITES + 100; i++) {
      String site = "site" + i + ".example";
      Duration pace = Duration.ofSeconds(60);
      kept.put(site, new SitePace(site, pace, pace, START, START, START.plusSeconds(i)));
    }

    gate = gate("");

    assertThat(kept).hasSize(SiteGate.MAX_SITES).doesNotContainKey("site99.example");
    gate.learn(REDDIT, REFUSED, START);
    assertThat(kept)
        .hasSize(SiteGate.MAX_SITES)
        .doesNotContainKey("site100.example")
        .containsKey("site" + (SiteGate.MAX_SITES + 99) + ".example");
  }

  @Test
  void the_store_sees_the_paces_of_a_site_in_the_order_in_which_they_are_learnt() throws Exception {
    CountDownLatch began = new CountDownLatch(1);
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    beforeKept =
        pace -> {
          if (pace.pace().equals(LearntPace.START)) {
            began.countDown();
            goOn.join();
          }
        };
    Thread first = new Thread(() -> gate.learn(REDDIT, REFUSED, START));
    Thread second = new Thread(() -> gate.learn(REDDIT, REFUSED, START.plusMillis(1)));
    first.start();
    began.await();
    second.start();
    await().until(() -> second.getState() == Thread.State.BLOCKED || !second.isAlive());
    goOn.complete(null);
    first.join();
    second.join();

    assertThat(kept.values())
        .extracting(SitePace::pace)
        .containsExactly(LearntPace.START.multipliedBy(2));
  }

  @Test
  void turns_are_bounded() {
    gate = gate("reddit.com=1/s");
    assertThat(gate.pass(REDDIT, 0, Haste.POLL)).isEmpty();
    for (int i = 1; i < SiteTurns.MOST + 1_000; i++) {
      assertThat(gate.early(REDDIT, i, Haste.POLL)).isPresent();
    }
    for (int i = 0; i < 10_000; i++) {
      Instant beyond = gate.early(REDDIT, 1_000_000 + i, Haste.POLL).orElseThrow().at();
      assertThat(beyond).isBetween(START, START.plus(SiteTurns.LONGEST_WAIT));
    }
  }

  @Test
  void first_looks_take_no_turn_and_pass_only_when_a_request_is_free() {
    gate = gate("reddit.com=1/60s");
    assertThat(gate.look(REDDIT)).isEmpty();
    for (int i = 0; i < 100; i++) {
      assertThat(gate.look(REDDIT).orElseThrow().at()).isEqualTo(START.plusSeconds(60));
    }
    assertThat(gate.early(REDDIT, 1, Haste.POLL).orElseThrow().at())
        .as("as if none had looked")
        .isEqualTo(START.plusSeconds(60));
    assertThat(gate.look(REDDIT).orElseThrow().at()).isAfter(START.plusSeconds(119));

    timer.advanceTo(START.plusSeconds(60));
    assertThat(gate.look(REDDIT)).as("the turn of the poll").isPresent();
    assertThat(gate.pass(REDDIT, 1, Haste.POLL)).isEmpty();
    timer.advanceTo(START.plusSeconds(120));
    assertThat(gate.look(REDDIT)).isEmpty();
    assertThat(gate.look(REDDIT)).isPresent();
  }

  /** Refused until its pace is the slowest. */
  private void slowest() {
    for (int i = 0; i < 10; i++) {
      timer.advanceTo(timer.now().plus(LearntPace.LONGEST));
      gate.learn(REDDIT, REFUSED, timer.now());
    }
    timer.advanceTo(timer.now().plusSeconds(2));
    assertThat(gate.pass(REDDIT, 0, Haste.POLL)).isEmpty();
  }

  private PriorityQueue<Due> told(int feeds) {
    PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparing(Due::at));
    for (int i = 1; i <= feeds; i++) {
      due.add(new Due(gate.early(REDDIT, i, Haste.POLL).orElseThrow().at(), i));
    }
    return due;
  }

  /** Has each feed come when it is told, until so many have passed. */
  private void passInTurn(PriorityQueue<Due> due, int times, Strict site) {
    for (int passed = 0; passed < times; ) {
      Due next = due.remove();
      assertThat(next.at()).isBeforeOrEqualTo(timer.now().plus(SiteTurns.LONGEST_WAIT));
      timer.advanceTo(next.at());
      Optional<Wait> wait = gate.early(REDDIT, next.feed(), Haste.POLL);
      if (wait.isPresent()) {
        due.add(new Due(wait.get().at(), next.feed()));
        continue;
      }
      assertThat(gate.pass(REDDIT, next.feed(), Haste.POLL)).isEmpty();
      gate.learn(REDDIT, site.ask(next.feed(), timer.now()), timer.now());
      passed++;
    }
  }

  @Test
  void a_fetch_whose_turn_is_far_off_asks_again_within_an_hour_and_keeps_its_turn() {
    slowest();
    Instant asked = timer.now();
    PriorityQueue<Due> due = told(300);
    assertThat(due)
        .allMatch(one -> !one.at().isAfter(asked.plus(SiteTurns.LONGEST_WAIT)))
        .extracting(Due::at)
        .doesNotHaveDuplicates();
    Strict site = new Strict(false);

    passInTurn(due, 5, site);

    assertThat(site.order).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(timer.now())
        .isBefore(asked.plus(LearntPace.LONGEST.multipliedBy(5)).plusSeconds(30));
  }

  @Test
  void a_faster_pace_brings_the_turns_forward() {
    slowest();
    Instant asked = timer.now();
    Strict site = new Strict(true);

    passInTurn(told(300), 300, site);

    assertThat(site.refused).isEmpty();
    assertThat(site.fetched).hasSize(300);
    assertThat(timer.now()).isBefore(asked.plus(LearntPace.MINDFUL).plus(Duration.ofHours(5)));
  }
}
