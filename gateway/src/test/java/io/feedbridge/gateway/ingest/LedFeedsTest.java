package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.ingest.FetchScheduler.Slot;
import io.feedbridge.gateway.ingest.FetchScheduler.Turn;
import io.feedbridge.gateway.ingest.fetch.DocumentMemory;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.fetch.Journey;
import io.feedbridge.gateway.ingest.fetch.Origins;
import io.feedbridge.gateway.ingest.hosts.Haste;
import io.feedbridge.gateway.ingest.hosts.HostPauses;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.OriginWindow;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.feeds.SitePaces;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Feeds of a paced site, A, that lead to another one, B, which has feeds of its own. */
class LedFeedsTest {

  private static final Instant START = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration PERIOD = Duration.ofHours(1);
  private static final Duration LATENCY = Duration.ofMillis(200);
  private static final String THERE = "https://b.example/feed";
  private static final Origin A = Origin.of("https://a.example/feed");
  private static final Origin B = Origin.of(THERE);

  private final ManualTimer timer = new ManualTimer(START);
  private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparing(Due::at));
  private final Map<Long, List<Instant>> fetched = new HashMap<>();
  private final Map<Origin, List<Instant>> requests = new HashMap<>();

  /** A feed that is due. */
  private record Due(Instant at, long feed) {}

  private FetchScheduler scheduler(long paceOfA, long paceOfB) {
    SiteGate sites =
        new SiteGate(
            GivenPaces.of(
                List.of(
                    "a.example=1/%ds".formatted(paceOfA), "b.example=1/%ds".formatted(paceOfB))),
            SitePaces.NONE,
            DAY,
            timer.clock());
    return new FetchScheduler(
        (Work)
            Proxy.newProxyInstance(
                Work.class.getClassLoader(),
                new Class<?>[] {Work.class},
                (proxy, method, arguments) -> false),
        new DocumentMemory(),
        4,
        Duration.ZERO,
        new Origins(new HostPauses(DAY, timer.clock()), sites),
        timer);
  }

  /** Fetches a feed, if it may; when it is to come again otherwise. */
  private Optional<Instant> fetch(FetchScheduler scheduler, long feed, Origin first) {
    WorkItem poll = new WorkItem.Light(feed, Via.POLL, START);
    try (Slot slot =
        scheduler.slot(
            FetchJob.of(new Assignment(feed, List.of(poll), new Position(feed, feed))))) {
      Turn turn = slot.turn(first, Haste.POLL).getNow(new Turn.Overtaken());
      if (turn instanceof Turn.Later later) {
        assertThat(later.at()).isAfter(timer.now());
        return Optional.of(later.at());
      }
      assertThat(turn).isEqualTo(new Turn.Now());
      requested(first);
      Journey journey = slot.journey(first, Haste.POLL, timer.now());
      FetchResult result =
          new FetchResult.NotModified(FetchResult.Way.straight(THERE, Duration.ZERO));
      if (first.equals(A)) {
        timer.advance(LATENCY);
        if (journey.goesTo(THERE)) {
          requested(B);
        } else {
          result = journey.heldBack().orElseThrow();
        }
      }
      slot.leaveHost(OriginWindow.Ending.ANSWERED);
      slot.answered(first, result, timer.now());
      return result instanceof FetchResult.HeldBack heldBack
          ? Optional.of(heldBack.told().at())
          : Optional.empty();
    }
  }

  private void requested(Origin site) {
    requests.computeIfAbsent(site, one -> new ArrayList<>()).add(timer.now());
  }

  /** Each of so many feeds of A, from 1, and of B behind them, is due at once and each period. */
  private void run(FetchScheduler scheduler, int ofA, int ofB, Duration time) {
    for (long feed = 1; feed <= ofA + ofB; feed++) {
      due.add(new Due(START.plusMillis(feed * 7 % 100), feed));
    }
    while (due.element().at().isBefore(START.plus(time))) {
      Due next = due.remove();
      if (next.at().isAfter(timer.now())) {
        timer.advanceTo(next.at());
      }
      Optional<Instant> later = fetch(scheduler, next.feed(), next.feed() <= ofA ? A : B);
      if (later.isEmpty()) {
        fetched.computeIfAbsent(next.feed(), feed -> new ArrayList<>()).add(timer.now());
      }
      Instant at = later.orElse(timer.now().plus(PERIOD));
      due.add(new Due(at.plusMillis(next.feed() % 100), next.feed()));
    }
  }

  private void assertPaced(Origin site, Duration pace) {
    List<Instant> sent = requests.getOrDefault(site, List.of());
    assertThat(sent).isNotEmpty();
    for (int i = 1; i < sent.size(); i++) {
      assertThat(Duration.between(sent.get(i - 1), sent.get(i))).isGreaterThanOrEqualTo(pace);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "10, 10, 60, 60",
    "10, 10, 200, 300",
    "10, 30, 60, 60",
    "60, 10, 60, 60",
    "60, 60, 20, 20",
    "300, 60, 20, 60"
  })
  void each_feed_between_busy_paced_sites_is_fetched_as_often_as_both_permit(
      long paceOfA, long paceOfB, int ofA, int ofB) {
    Duration time = Duration.ofHours(24);

    run(scheduler(paceOfA, paceOfB), ofA, ofB, time);

    assertPaced(A, Duration.ofSeconds(paceOfA));
    assertPaced(B, Duration.ofSeconds(paceOfB));
    // Each round of a feed of A asks there twice, the first time in vain.
    long round =
        Math.max(PERIOD.toSeconds(), Math.max(2L * ofA * paceOfA, (2L * ofA + ofB) * paceOfB));
    assertThat(fetched).hasSize(ofA + ofB);
    assertThat(fetched.values())
        .allMatch(times -> times.size() >= time.toSeconds() / round * 3 / 4);
  }
}
