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
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Scenario (f2): the pings of scenario (f) as users have them. The gateway has its default options
 * and the JVM its own, and no round but one warms it up: in that one each feed is read for the
 * first time.
 */
final class ColdPingRun {

  private static final int FEEDS = 1_000;
  private static final int ENTRIES = 100;

  /** A document has about 175 KB. */
  private static final int ENTRY_BYTES = 1_350;

  private static final int ORIGINS = 100;
  private static final int SINKS = 8;
  private static final int CONNECTIONS = 64;

  /** Pings that come sooner after the last would count as one burst with it, and wait. */
  private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(1_500);

  /** The processor time in such a pause of a gateway that has nothing to do. */
  private static final double IDLE_SECONDS = 0.1;

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration LONGEST_BATCH = Duration.ofMinutes(5);

  private final Plan plan;
  private final StorePlace store;
  private final Clock clock;
  private final Progress progress;
  private final Medians medians = new Medians();
  private final int feeds;
  private int version = SampleFeed.FIRST_VERSION;
  private double firstCpu;

  ColdPingRun(Plan plan, StorePlace store, Clock clock, Progress progress) {
    this.plan = plan;
    this.store = store;
    this.clock = clock;
    this.progress = progress;
    feeds = plan.scaled(FEEDS);
  }

  /** The processes of the run. */
  private record Cast(
      Child sink, Child origin, Hosts origins, RunningGateway gateway, Child pinger) {}

  /** Runs it. */
  Result run() throws BenchException {
    try (Processes processes = new Processes(plan, store.folder())) {
      Child sink = processes.start(Part.SINK);
      int port = sink.ask(SOON, "listen", 0, SINKS, feeds).get("port").asInt();
      Child origin = processes.start(Part.ORIGIN);
      Hosts origins = new Hosts(ORIGINS, origin.ask(SOON, "listen", ORIGINS).get("port").asInt());
      origin.ask(SOON, "feeds", ENTRIES, ENTRY_BYTES);
      furnish(origins, new Hosts(SINKS, port));
      RunningGateway gateway = processes.gatewayByDefault(store, List.of());
      Child pinger = processes.start(Part.PINGER);
      pinger.ask(SOON, "connect", gateway.port(), CONNECTIONS);
      Cast cast = new Cast(sink, origin, origins, gateway, pinger);
      for (int round = 0; round <= plan.rounds(); round++) {
        progress.show(Scenario.F2, round, plan.rounds(), "gateway");
        Medians into = round == 0 ? new Medians() : medians;
        Optional<Long> written = gateway.writtenBytes();
        gatewayRound(cast, into);
        if (round == 1) {
          firstCpu = medians.last("cpu");
        }
        rest(gateway);
        if (written.isPresent()) {
          long bytes = gateway.writtenBytes().orElseThrow() - written.get();
          into.add("written", bytes / (double) (feeds << 10));
        }
      }
      medians.add("peak", gateway.peakBytes().orElse(0L) / (double) (1 << 20));
    }
    return new Result(Scenario.F2, plan.rounds(), figures());
  }

  private void furnish(Hosts origins, Hosts sinks) {
    progress.prepares(Scenario.F2, "the store is prepared");
    try (Furnishing furnishing = new Furnishing(store, clock)) {
      List<FollowedFeed> followed =
          furnishing.feeds(IntStream.range(0, feeds).mapToObj(origins::topic).toList());
      for (int i = 0; i < feeds; i++) {
        furnishing.webSub(followed.get(i), sinks.callback(i), Secrets.of(i));
      }
    }
  }

  /** Until the gateway has put the entries of the round into its search index. */
  private static void rest(RunningGateway gateway) {
    double before;
    double now = gateway.cpuSeconds();
    do {
      before = now;
      LockSupport.parkNanos(BETWEEN_ROUNDS.toNanos());
      now = gateway.cpuSeconds();
    } while (now - before > IDLE_SECONDS);
  }

  private void gatewayRound(Cast cast, Medians into) throws BenchException {
    version++;
    cast.origin.ask(SOON, "publish", version);
    cast.origin.ask(SOON, "prepare", feeds);
    cast.sink.ask(SOON, "begin", Hosts.Sender.GATEWAY, feeds, 1, true, SampleFeed.mark(version));
    double before = cast.gateway.cpuSeconds();
    cast.pinger.tell("ping", cast.origins.port(), cast.origins.count(), feeds);
    JsonNode batch = cast.sink.ask(LONGEST_BATCH, "await");
    JsonNode pinged = cast.pinger.answer(LONGEST_BATCH);
    Judgement.check(batch, feeds);
    into.add("cpu", (cast.gateway.cpuSeconds() - before) * 1_000 / feeds);
    into.add(
        "rate",
        feeds
            * (double) Micros.SECOND
            / (batch.get("last").asLong() - pinged.get("began").asLong()));
    into.add("p99", pinged.get("p99").asLong() / 1_000.0);
  }

  private List<Figure> figures() {
    double written = medians.of("written");
    return List.of(
        new Figure("firstCpu", "CPU ms for each ping of the first round", firstCpu, Goal.atMost(4)),
        new Figure(
            "lastCpu",
            "CPU ms for each ping of the last round",
            medians.last("cpu"),
            Goal.atMost(1.5)),
        Figure.of("cpu", "CPU ms for each ping", medians.of("cpu")),
        new Figure(
            "rate",
            "pings per second of the last round, until all is delivered",
            medians.last("rate"),
            Goal.atLeast(1_000)),
        new Figure(
            "p99",
            "ms within which 99 % of the pings are acknowledged",
            medians.of("p99"),
            Goal.atMost(200)),
        new Figure(
            "written",
            "KiB that the disk writes for each ping, search index included",
            written,
            Double.isNaN(written) ? null : Goal.atMost(30)),
        Figure.of("peak", "MiB of memory at most", medians.of("peak")));
  }
}
