package io.feedbridge.gateway.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.bench.data.Furnishing;
import io.feedbridge.gateway.bench.data.Hosts;
import io.feedbridge.gateway.bench.data.Micros;
import io.feedbridge.gateway.bench.data.SampleFeed;
import io.feedbridge.gateway.bench.data.Secrets;
import io.feedbridge.gateway.bench.data.StorePlace;
import io.feedbridge.gateway.bench.figures.Figure;
import io.feedbridge.gateway.bench.figures.Goal;
import io.feedbridge.gateway.bench.figures.Medians;
import io.feedbridge.gateway.bench.parts.Part;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Scenario (e): from signed fat pings to their deliveries, beside a writer that does nothing else.
 */
final class IntakeRun {

  /** Rounds until the JVM has compiled the hot code, which takes processor time. */
  private static final int WARM_UPS = 6;

  private static final int FEEDS = 1_000;
  private static final int SUBSCRIBERS_EACH = 10;
  private static final int BATCHES = 5;
  private static final int ROWS = 3_000;
  private static final int ENTRY_BYTES = 1_000;
  private static final int HOSTS = 8;
  private static final int CONNECTIONS = 64;
  private static final String HEAP = "256m";
  private static final String TOPICS = "https://bench.example/feed/";

  /** A hub without a server: leases are long and no request is sent to it. */
  private static final String HUB = "https://bench.example/hub";

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration LONGEST_BATCH = Duration.ofMinutes(5);

  private final Plan plan;
  private final StorePlace store;
  private final Clock clock;
  private final Progress progress;
  private final Medians medians = new Medians();
  private final int feeds;
  private int version = SampleFeed.FIRST_VERSION;

  IntakeRun(Plan plan, StorePlace store, Clock clock, Progress progress) {
    this.plan = plan;
    this.store = store;
    this.clock = clock;
    this.progress = progress;
    feeds = plan.scaled(FEEDS);
  }

  /** Runs it. */
  Result run() throws BenchException {
    try (Processes processes = new Processes(plan, store.folder())) {
      Child sink = processes.start(Part.SINK);
      int port = sink.ask(SOON, "listen", 0, HOSTS, feeds * SUBSCRIBERS_EACH).get("port").asInt();
      furnish(new Hosts(HOSTS, port));
      RunningGateway gateway = processes.gateway(store, HEAP, List.of());
      Child pusher = processes.start(Part.PUSHER);
      pusher.ask(SOON, "connect", gateway.port(), CONNECTIONS);
      Child writer = processes.reference(Part.WRITER);
      Object rowsPlace = store.url() == null ? store.folder().resolve("rows.db") : store.url();
      for (int round = 1 - WARM_UPS; round <= plan.rounds(); round++) {
        Medians into = round <= 0 ? new Medians() : medians;
        progress.show(Scenario.E, Math.max(0, round), plan.rounds(), "gateway");
        gatewayRound(sink, pusher, gateway, into);
        progress.show(Scenario.E, Math.max(0, round), plan.rounds(), "reference");
        JsonNode rows = writer.ask(SOON, "write", rowsPlace, plan.scaled(ROWS));
        into.add("commits", rows.get("perSecond").asDouble());
        into.add("ratio", into.last("rate") / into.last("commits"));
        into.add("intake", into.last("acknowledged") / into.last("commits"));
      }
      medians.add("peak", gateway.peakBytes().orElse(0L) / (double) (1 << 20));
    }
    return new Result(
        Scenario.E,
        plan.rounds(),
        List.of(
            Figure.of("rate", "pings per second, until all is delivered", medians.of("rate")),
            Figure.of(
                "commits", "one-row commits per second of a bare writer", medians.of("commits")),
            new Figure("ratio", "their ratio", medians.of("ratio"), Goal.atLeast(0.5)),
            Figure.of("acknowledged", "pings acknowledged per second", medians.of("acknowledged")),
            new Figure(
                "intake",
                "their ratio to one-row commits",
                medians.of("intake"),
                Goal.atLeast(0.5)),
            Figure.of("cpu", "CPU seconds for 100,000 deliveries", medians.of("cpu")),
            Figure.of(
                "peak", "MiB of memory at most, with a heap of " + HEAP, medians.of("peak"))));
  }

  private void furnish(Hosts hosts) {
    progress.prepares(Scenario.E, "the store is prepared");
    try (Furnishing furnishing = new Furnishing(store, clock)) {
      List<FollowedFeed> followed =
          furnishing.pushed(
              IntStream.range(0, feeds).mapToObj(feed -> TOPICS + feed).toList(), HUB);
      for (int i = 0; i < feeds * SUBSCRIBERS_EACH; i++) {
        furnishing.webSub(followed.get(i / SUBSCRIBERS_EACH), hosts.callback(i), Secrets.of(i));
      }
    }
  }

  private void gatewayRound(Child sink, Child pusher, RunningGateway gateway, Medians into)
      throws BenchException {
    double cpu = gateway.cpuSeconds();
    long busy = 0;
    long acknowledging = 0;
    int deliveries = feeds * SUBSCRIBERS_EACH;
    for (int i = 0; i < BATCHES; i++) {
      version++;
      sink.ask(SOON, "begin", Hosts.Sender.GATEWAY, deliveries, 1, true, SampleFeed.mark(version));
      pusher.tell("push", TOPICS, feeds, version, ENTRY_BYTES);
      JsonNode batch = sink.ask(LONGEST_BATCH, "await");
      JsonNode pushed = pusher.answer(LONGEST_BATCH);
      Judgement.check(batch, deliveries);
      busy += batch.get("last").asLong() - pushed.get("began").asLong();
      acknowledging += pushed.get("acknowledged").asLong() - pushed.get("began").asLong();
    }
    double pings = (double) BATCHES * feeds;
    into.add("rate", pings * Micros.SECOND / busy);
    into.add("acknowledged", pings * Micros.SECOND / acknowledging);
    into.add("cpu", (gateway.cpuSeconds() - cpu) * 100_000 / ((double) BATCHES * deliveries));
  }
}
