package io.feedbridge.gateway.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.bench.data.Furnishing;
import io.feedbridge.gateway.bench.data.Hosts;
import io.feedbridge.gateway.bench.data.Micros;
import io.feedbridge.gateway.bench.data.StorePlace;
import io.feedbridge.gateway.bench.figures.Figure;
import io.feedbridge.gateway.bench.figures.Goal;
import io.feedbridge.gateway.bench.figures.Medians;
import io.feedbridge.gateway.bench.parts.Part;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Scenario (j): new subscriptions with their verifications, beside a bare client that makes two
 * requests for each: a registration is one request that comes and one that goes. The round before
 * the measured ones runs cold, and its cost is a figure of its own.
 */
final class RegistrationRun {

  private static final int REGISTRATIONS = 10_000;
  private static final int FEEDS = 100;
  private static final int HOSTS = 100;
  private static final int CONNECTIONS = 64;
  private static final int REFERENCE_CONNECTIONS_EACH = 1;
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration LONGEST_BATCH = Duration.ofMinutes(5);

  private final Plan plan;
  private final StorePlace store;
  private final Clock clock;
  private final Progress progress;
  private final Medians medians = new Medians();
  private final int registrations;
  private double coldCpu;

  RegistrationRun(Plan plan, StorePlace store, Clock clock, Progress progress) {
    this.plan = plan;
    this.store = store;
    this.clock = clock;
    this.progress = progress;
    registrations = plan.scaled(REGISTRATIONS);
  }

  /** The processes of the run. */
  private record Cast(
      Child sink,
      Hosts sinks,
      String topics,
      RunningGateway gateway,
      Child reader,
      Child reference) {}

  /** Runs it. */
  Result run() throws BenchException {
    try (Processes processes = new Processes(plan, store.folder())) {
      Child sink = processes.start(Part.SINK);
      int all = registrations * (plan.rounds() + 1);
      Hosts sinks = new Hosts(HOSTS, sink.ask(SOON, "listen", 0, HOSTS, all).get("port").asInt());
      Child origin = processes.start(Part.ORIGIN);
      String topics = new Hosts(1, origin.ask(SOON, "listen", 1).get("port").asInt()).topics();
      progress.prepares(Scenario.J, "the store is prepared");
      try (Furnishing furnishing = new Furnishing(store, clock)) {
        furnishing.feeds(IntStream.range(0, FEEDS).mapToObj(feed -> topics + feed).toList());
      }
      RunningGateway gateway = processes.gatewayByDefault(store, List.of());
      Child reader = processes.start(Part.PINGER);
      reader.ask(SOON, "connect", gateway.port(), CONNECTIONS);
      Child reference = processes.reference(Part.REFERENCE);
      reference.ask(SOON, "connect", sinks.port(), HOSTS, REFERENCE_CONNECTIONS_EACH);
      Cast cast = new Cast(sink, sinks, topics, gateway, reader, reference);
      for (int round = 0; round <= plan.rounds(); round++) {
        Medians into = round == 0 ? new Medians() : medians;
        progress.show(Scenario.J, round, plan.rounds(), "gateway");
        gatewayRound(cast, round * registrations, into);
        if (round == 0) {
          coldCpu = into.last("cpu");
        }
        progress.show(Scenario.J, round, plan.rounds(), "reference");
        referenceRound(cast, round * registrations, into);
        into.add("ratio", into.last("rate") / into.last("referenceRate"));
      }
      medians.add("peak", gateway.peakBytes().orElse(0L) / (double) (1 << 20));
    }
    return new Result(Scenario.J, plan.rounds(), figures());
  }

  private void gatewayRound(Cast cast, int from, Medians into) throws BenchException {
    begin(cast.sink, Hosts.Sender.GATEWAY, 1);
    double before = cast.gateway.cpuSeconds();
    cast.reader.tell(
        "subscribe",
        cast.topics,
        FEEDS,
        cast.sinks.port(),
        cast.sinks.count(),
        from,
        registrations);
    long last = complete(cast.sink, registrations);
    JsonNode accepted = cast.reader.answer(LONGEST_BATCH);
    into.add("cpu", (cast.gateway.cpuSeconds() - before) * 1_000 / registrations);
    into.add(
        "rate", registrations * (double) Micros.SECOND / (last - accepted.get("began").asLong()));
    into.add("p99", accepted.get("p99").asLong() / 1_000.0);
  }

  private void referenceRound(Cast cast, int from, Medians into) throws BenchException {
    begin(cast.sink, Hosts.Sender.REFERENCE, 2);
    double before = seconds(cast.reference.cpu());
    cast.reference.tell("pairs", from, registrations);
    long last = complete(cast.sink, 2 * registrations);
    long began = cast.reference.answer(LONGEST_BATCH).get("began").asLong();
    into.add("referenceRate", registrations * (double) Micros.SECOND / (last - began));
    into.add("referenceCpu", (seconds(cast.reference.cpu()) - before) * 1_000 / registrations);
  }

  private void begin(Child sink, Hosts.Sender sender, int each) throws BenchException {
    sink.ask(SOON, "begin", sender, registrations, each, false, "");
  }

  private static long complete(Child sink, int expected) throws BenchException {
    JsonNode batch = sink.ask(LONGEST_BATCH, "await");
    Judgement.check(batch, expected);
    return batch.get("last").asLong();
  }

  private static double seconds(Duration time) {
    return time.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
  }

  private List<Figure> figures() {
    return List.of(
        Figure.of("rate", "registrations per second, until all are verified", medians.of("rate")),
        Figure.of("referenceRate", "bare pairs of requests", medians.of("referenceRate")),
        new Figure("ratio", "their ratio", medians.of("ratio"), Goal.atLeast(0.5)),
        Figure.of("coldCpu", "CPU ms for each of the first round", coldCpu),
        new Figure("cpu", "CPU ms for each registration", medians.of("cpu"), Goal.atMost(0.5)),
        Figure.of("referenceCpu", "the reference's", medians.of("referenceCpu")),
        Figure.of("p99", "ms within which 99 % are accepted", medians.of("p99")),
        Figure.of("peak", "MiB of memory at most", medians.of("peak")));
  }
}
