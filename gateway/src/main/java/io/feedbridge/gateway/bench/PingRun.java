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
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Scenario (f): light pings of many feeds at once, each of which has one new entry among many,
 * beside a reference that only fetches the same documents and reads each five times with Woodstox.
 *
 * <p>The time of a ping is the time from the first ping until the last delivery, divided by the
 * number of pings, while the gateway has plenty of them; the reference's time is the same for as
 * many documents. Each uses as many processors as it can have. So a ping's time holds all of its
 * work: the ping made durable and acknowledged, the fetch, the reading of the document, the
 * comparison with the known entries, the append, and the delivery to the feed's one subscriber,
 * which shows that nothing is missing. The scenario does not measure the latency of the first ping
 * of a batch.
 *
 * <p>The feeds are spread over many hosts, since a gateway fetches at most two documents of one
 * host at once, and it does not wait for further pings of a burst ({@code --ping-quiet=0}).
 */
final class PingRun {

  /** Rounds until the JVM has compiled the hot code, which takes processor time. */
  private static final int WARM_UPS = 10;

  private static final int FEEDS = 1_000;
  private static final int ENTRIES = 100;
  private static final int ENTRY_BYTES = 1_000;
  private static final int BATCHES = 2;

  /** The number of times that the reference reads each document. */
  private static final int SCANS = 5;

  /** Few enough feeds on each that none is put off because others of its host are waiting. */
  private static final int ORIGINS = 100;

  private static final int SINKS = 8;
  private static final int CONNECTIONS = 64;
  private static final String HEAP = "256m";
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration LONGEST_BATCH = Duration.ofMinutes(5);

  private final Plan plan;
  private final StorePlace store;
  private final Clock clock;
  private final Progress progress;
  private final Medians medians = new Medians();
  private final int feeds;
  private int version = SampleFeed.FIRST_VERSION;

  PingRun(Plan plan, StorePlace store, Clock clock, Progress progress) {
    this.plan = plan;
    this.store = store;
    this.clock = clock;
    this.progress = progress;
    feeds = plan.scaled(FEEDS);
  }

  /** The processes of the run. */
  private record Cast(
      Child sink,
      Child origin,
      Hosts origins,
      RunningGateway gateway,
      Child pinger,
      Child reference) {}

  /** Runs it. */
  Result run() throws BenchException {
    try (Processes processes = new Processes(plan, store.folder())) {
      Child sink = processes.start(Part.SINK);
      int port = sink.ask(SOON, "listen", 0, SINKS, feeds).get("port").asInt();
      Child origin = processes.start(Part.ORIGIN);
      Hosts origins = new Hosts(ORIGINS, origin.ask(SOON, "listen", ORIGINS).get("port").asInt());
      origin.ask(SOON, "feeds", ENTRIES, ENTRY_BYTES);
      furnish(origins, new Hosts(SINKS, port));
      RunningGateway gateway =
          processes.gateway(store, HEAP, List.of("--ping-quiet=0", "--ping-recheck=0"));
      Child pinger = processes.start(Part.PINGER);
      pinger.ask(SOON, "connect", gateway.port(), CONNECTIONS);
      Child reference = processes.reference(Part.READER);
      reference.ask(SOON, "connect", origins.port(), ORIGINS);
      Cast cast = new Cast(sink, origin, origins, gateway, pinger, reference);
      for (int round = 1 - WARM_UPS; round <= plan.rounds(); round++) {
        Medians into = round <= 0 ? new Medians() : medians;
        progress.show(Scenario.F, Math.max(0, round), plan.rounds(), "gateway");
        gatewayRound(cast, into);
        progress.show(Scenario.F, Math.max(0, round), plan.rounds(), "reference");
        referenceRound(cast, into);
        into.add("ratio", into.last("time") / into.last("referenceTime"));
        into.add("cpuRatio", into.last("cpu") / into.last("referenceCpu"));
      }
      medians.add("peak", gateway.peakBytes().orElse(0L) / (double) (1 << 20));
    }
    return new Result(Scenario.F, plan.rounds(), figures());
  }

  private void furnish(Hosts origins, Hosts sinks) {
    progress.prepares(Scenario.F, "the store is prepared");
    try (Furnishing furnishing = new Furnishing(store, clock)) {
      List<FollowedFeed> followed =
          furnishing.feeds(IntStream.range(0, feeds).mapToObj(origins::topic).toList());
      for (int i = 0; i < feeds; i++) {
        furnishing.webSub(followed.get(i), sinks.callback(i), Secrets.of(i));
      }
    }
  }

  private void gatewayRound(Cast cast, Medians into) throws BenchException {
    double cpu = 0;
    long busy = 0;
    long acknowledging = 0;
    for (int i = 0; i < BATCHES; i++) {
      version++;
      cast.origin.ask(SOON, "publish", version);
      // The origin makes the documents beforehand, so that it takes no processor time of the
      // measured round.
      cast.origin.ask(SOON, "prepare", feeds);
      cast.sink.ask(SOON, "begin", Hosts.Sender.GATEWAY, feeds, 1, true, SampleFeed.mark(version));
      double before = cast.gateway.cpuSeconds();
      cast.pinger.tell("ping", cast.origins.port(), cast.origins.count(), feeds);
      JsonNode batch = cast.sink.ask(LONGEST_BATCH, "await");
      JsonNode pinged = cast.pinger.answer(LONGEST_BATCH);
      Judgement.check(batch, feeds);
      cpu += cast.gateway.cpuSeconds() - before;
      busy += batch.get("last").asLong() - pinged.get("began").asLong();
      acknowledging += pinged.get("acknowledged").asLong() - pinged.get("began").asLong();
    }
    double pings = (double) BATCHES * feeds;
    into.add("time", busy / pings / 1_000);
    into.add("cpu", cpu * 1_000 / pings);
    into.add("acknowledged", pings * Micros.SECOND / acknowledging);
  }

  private void referenceRound(Cast cast, Medians into) throws BenchException {
    double before = cpuSeconds(cast.reference);
    long busy = 0;
    for (int i = 0; i < BATCHES; i++) {
      busy += cast.reference.ask(LONGEST_BATCH, "read", feeds, SCANS).get("micros").asLong();
    }
    double documents = (double) BATCHES * feeds;
    into.add("referenceTime", busy / documents / 1_000);
    into.add("referenceCpu", (cpuSeconds(cast.reference) - before) * 1_000 / documents);
  }

  private static double cpuSeconds(Child process) {
    return process.cpu().toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
  }

  private List<Figure> figures() {
    return List.of(
        Figure.of("time", "ms for each ping, until all is delivered", medians.of("time")),
        Figure.of(
            "referenceTime",
            "ms for a bare fetch and %d Woodstox scans".formatted(SCANS),
            medians.of("referenceTime")),
        new Figure("ratio", "their ratio", medians.of("ratio"), Goal.atMost(1)),
        Figure.of("cpu", "CPU ms for each ping, its delivery included", medians.of("cpu")),
        Figure.of("referenceCpu", "the reference's", medians.of("referenceCpu")),
        Figure.of("cpuRatio", "their ratio", medians.of("cpuRatio")),
        Figure.of("acknowledged", "pings acknowledged per second", medians.of("acknowledged")),
        Figure.of("peak", "MiB of memory at most, with a heap of " + HEAP, medians.of("peak")));
  }
}
