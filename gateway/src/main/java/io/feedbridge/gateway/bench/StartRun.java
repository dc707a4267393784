package io.feedbridge.gateway.bench;

import io.feedbridge.gateway.bench.data.Furnishing;
import io.feedbridge.gateway.bench.data.Hosts;
import io.feedbridge.gateway.bench.data.Secrets;
import io.feedbridge.gateway.bench.data.StorePlace;
import io.feedbridge.gateway.bench.figures.Figure;
import io.feedbridge.gateway.bench.figures.Goal;
import io.feedbridge.gateway.bench.figures.Medians;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Scenario (h): how soon a gateway serves that has a large store. */
final class StartRun {

  private static final int FEEDS = 100_000;
  private static final int SUBSCRIPTIONS_EACH = 10;
  private static final String TOPICS = "https://bench.example/feed/";
  private static final String HEAP = "400m";

  /** The hosts are never called: there is no news. */
  private static final Hosts HOSTS = new Hosts(200, 9);

  private final Plan plan;
  private final StorePlace store;
  private final Clock clock;
  private final Progress progress;
  private final Medians medians = new Medians();

  StartRun(Plan plan, StorePlace store, Clock clock, Progress progress) {
    this.plan = plan;
    this.store = store;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; each round is a start, and one more is the warm-up. */
  Result run() throws BenchException, IOException {
    furnish();
    for (int round = 0; round <= plan.rounds(); round++) {
      progress.show(Scenario.H, round, plan.rounds(), "start");
      Medians into = round == 0 ? new Medians() : medians;
      try (Processes processes = new Processes(plan, store.folder())) {
        RunningGateway gateway = processes.gateway(store, HEAP, List.of());
        into.add("ready", gateway.readyAfter().toNanos() / (double) TimeUnit.SECONDS.toNanos(1));
        into.add("cpu", gateway.cpuSeconds());
        into.add("peak", gateway.peakBytes().orElse(0L) / (double) (1 << 20));
      }
    }
    return new Result(
        Scenario.H,
        plan.rounds(),
        List.of(
            new Figure("ready", "seconds until it was ready", medians.of("ready"), Goal.atMost(5)),
            Figure.of("cpu", "CPU seconds until then", medians.of("cpu")),
            Figure.of(
                "peak", "MiB of memory at most, with a heap of " + HEAP, medians.of("peak"))));
  }

  private void furnish() {
    progress.prepares(Scenario.H, "the store is prepared, which takes a few minutes");
    int feeds = plan.scaled(FEEDS);
    try (Furnishing furnishing = new Furnishing(store, clock)) {
      List<FollowedFeed> followed =
          furnishing.feeds(IntStream.range(0, feeds).mapToObj(feed -> TOPICS + feed).toList());
      for (int i = 0; i < feeds * SUBSCRIPTIONS_EACH; i++) {
        furnishing.webSub(followed.get(i / SUBSCRIPTIONS_EACH), HOSTS.callback(i), Secrets.of(i));
      }
    }
  }
}
