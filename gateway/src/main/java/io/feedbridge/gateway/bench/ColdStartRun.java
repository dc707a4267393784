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

/**
 * Scenario (k): a JVM that has just started. Each round is a start of the gateway with its default
 * options, and one event for 1,000 subscriptions.
 */
final class ColdStartRun {

  private static final int SUBSCRIPTIONS = 1_000;
  private static final int ENTRY_BYTES = 9_300;
  private static final int HOSTS = 8;
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Plan plan;
  private final StorePlace store;
  private final Clock clock;
  private final Progress progress;
  private final Medians medians = new Medians();
  private final int subscriptions;
  private int version = SampleFeed.FIRST_VERSION;

  ColdStartRun(Plan plan, StorePlace store, Clock clock, Progress progress) {
    this.plan = plan;
    this.store = store;
    this.clock = clock;
    this.progress = progress;
    subscriptions = plan.scaled(SUBSCRIPTIONS);
  }

  /** Runs it. */
  Result run() throws BenchException {
    try (Processes processes = new Processes(plan, store.folder())) {
      Child sink = processes.start(Part.SINK);
      int port = sink.ask(SOON, "listen", 0, HOSTS, subscriptions).get("port").asInt();
      Child origin = processes.start(Part.ORIGIN);
      Hosts origins = new Hosts(1, origin.ask(SOON, "listen", 1).get("port").asInt());
      origin.ask(SOON, "feeds", 1, ENTRY_BYTES);
      String topic = origins.topic(0);
      furnish(topic, new Hosts(HOSTS, port));
      // The first round reads the program from the disk, and is not measured.
      for (int round = 0; round <= plan.rounds(); round++) {
        progress.show(Scenario.K, round, plan.rounds(), "gateway");
        startRound(sink, origin, topic, round == 0 ? new Medians() : medians);
      }
    }
    return new Result(Scenario.K, plan.rounds(), figures());
  }

  private void furnish(String topic, Hosts sinks) {
    progress.prepares(Scenario.K, "the store is prepared");
    try (Furnishing furnishing = new Furnishing(store, clock)) {
      FollowedFeed followed = furnishing.feeds(List.of(topic)).get(0);
      for (int i = 0; i < subscriptions; i++) {
        furnishing.webSub(followed, sinks.callback(i), Secrets.of(i));
      }
    }
  }

  private void startRound(Child sink, Child origin, String topic, Medians into)
      throws BenchException {
    try (Processes processes = new Processes(plan, store.folder())) {
      RunningGateway gateway = processes.gatewayByDefault(store, List.of());
      into.add("ready", gateway.readyAfter().toNanos() / (double) TimeUnit.SECONDS.toNanos(1));
      double ready = gateway.cpuSeconds();
      into.add("cpu", ready);
      version++;
      origin.ask(SOON, "publish", version);
      sink.ask(
          SOON, "begin", Hosts.Sender.GATEWAY, subscriptions, 1, true, SampleFeed.mark(version));
      gateway.ping(topic);
      long acknowledged = Micros.of(clock.instant());
      JsonNode batch = sink.ask(SOON, "await");
      Judgement.check(batch, subscriptions);
      into.add("first", (batch.get("first").asLong() - acknowledged) / 1_000.0);
      into.add("last", (batch.get("last").asLong() - acknowledged) / 1_000.0);
      into.add("deliveriesCpu", gateway.cpuSeconds() - ready);
    }
  }

  private List<Figure> figures() {
    return List.of(
        Figure.of("ready", "seconds until it was ready", medians.of("ready")),
        new Figure("cpu", "CPU seconds until then", medians.of("cpu"), Goal.atMost(2.5)),
        Figure.of(
            "first", "ms from the acknowledged ping to the first delivery", medians.of("first")),
        Figure.of("last", "ms to the last of all deliveries", medians.of("last")),
        Figure.of("deliveriesCpu", "CPU seconds for them", medians.of("deliveriesCpu")));
  }
}
