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
import io.feedbridge.gateway.bench.parts.Reference;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Scenarios (a) to (d) and (g): one event after the other goes out to all subscribers of one feed.
 * Rounds of the gateway and of the reference take turns.
 */
final class FanoutRun {

  /**
   * Events of another feed with one subscriber, before the measured ones: the way of an event to
   * its first delivery runs once for each event, and so would be run cold for as long as the rounds
   * last.
   */
  private static final int WARM_UP_EVENTS = 2_000;

  /** The numbers of the two feeds. */
  private static final int MEASURED = 0;

  private static final int WARMING = 1;

  private static final int ENTRY_BYTES = 9_300;

  /** The most connections that the gateway opens to a host; the reference opens all of them. */
  private static final int CONNECTIONS_PER_HOST = 32;

  private static final int MOST_CONNECTIONS = 8 * CONNECTIONS_PER_HOST;

  private static final Duration SOON = Duration.ofSeconds(30);

  /** The wait for a batch of deliveries; a sink that receives nothing gives up before that. */
  private static final Duration LONGEST_BATCH = Duration.ofMinutes(10);

  private final Plan plan;
  private final Scenario scenario;
  private final StorePlace store;
  private final Clock clock;
  private final Progress progress;
  private final Size size;
  private final int subscriptions;
  private final int events;
  private final Medians medians = new Medians();
  private int version = SampleFeed.FIRST_VERSION;

  FanoutRun(Plan plan, Scenario scenario, StorePlace store, Clock clock, Progress progress) {
    this.plan = plan;
    this.scenario = scenario;
    this.store = store;
    this.clock = clock;
    this.progress = progress;
    size = scenario == Scenario.G ? Size.LARGE : Size.USUAL;
    subscriptions = plan.scaled(size.subscriptions);
    events = plan.scaled(size.events);
  }

  /**
   * The size of a run.
   *
   * @param hosts the number of hosts that have the subscriptions
   * @param heap the most that the gateway may have
   * @param warmUps rounds until the JVM has compiled the hot code, which takes processor time
   */
  private record Size(int subscriptions, int events, int hosts, String heap, int warmUps) {
    static final Size USUAL = new Size(10_000, 20, 8, "256m", 8);
    static final Size LARGE = new Size(1_000_000, 1, 200, "512m", 2);
  }

  /** The processes of the run. */
  private record Cast(
      Child sink, Child origin, RunningGateway gateway, Child reference, String topic) {}

  /** Runs it. */
  Result run() throws BenchException, IOException {
    try (Processes processes = new Processes(plan, store.folder())) {
      Child sink = processes.start(Part.SINK);
      int port = sink.ask(SOON, "listen", 0, size.hosts, subscriptions + 1).get("port").asInt();
      Child origin = processes.start(Part.ORIGIN);
      int originPort = origin.ask(SOON, "listen", 1).get("port").asInt();
      origin.ask(SOON, "feeds", 1, ENTRY_BYTES);
      Hosts origins = new Hosts(1, originPort);
      progress.prepares(scenario, "the store is prepared");
      furnish(origins, new Hosts(size.hosts, port));
      RunningGateway gateway =
          processes.gateway(
              store,
              size.heap,
              // No poll finds the new document of one feed while the other is measured.
              List.of("--ping-quiet=0", "--ping-recheck=0", "--poll-min=24h"));
      Child reference = processes.reference(Part.REFERENCE);
      reference.ask(SOON, "connect", port, size.hosts, connectionsEach());
      Cast cast = new Cast(sink, origin, gateway, reference, origins.topic(MEASURED));
      progress.prepares(scenario, "the JVM warms up");
      for (int i = 0; i < plan.scaled(WARM_UP_EVENTS); i++) {
        publish(cast, origins.topic(WARMING), WARMING, 1);
      }
      for (int round = 1 - size.warmUps; round <= plan.rounds(); round++) {
        Medians into = round <= 0 ? new Medians() : medians;
        progress.show(scenario, Math.max(0, round), plan.rounds(), "gateway");
        gatewayRound(cast, into);
        progress.show(scenario, Math.max(0, round), plan.rounds(), "reference");
        referenceRound(cast, into);
        into.add("ratio", into.last("rate") / into.last("referenceRate"));
        into.add("cpuRatio", into.last("cpu") / into.last("referenceCpu"));
      }
      double sent = (double) events * subscriptions * (plan.rounds() + size.warmUps);
      medians.add("late", 100 * gateway.meter("feedbridge_deliveries_held_back_total") / sent);
      medians.add("peak", gateway.peakBytes().orElse(0L) / (double) (1 << 20));
    }
    return new Result(scenario, plan.rounds(), figures());
  }

  /**
   * Connections of the reference to each host: as many, in all and to each host, as the gateway
   * has.
   */
  private int connectionsEach() {
    return Math.max(1, Math.min(CONNECTIONS_PER_HOST, MOST_CONNECTIONS / size.hosts));
  }

  private void furnish(Hosts origins, Hosts hosts) {
    try (Furnishing furnishing = new Furnishing(store, clock)) {
      List<FollowedFeed> feeds =
          furnishing.feeds(List.of(origins.topic(MEASURED), origins.topic(WARMING)));
      for (int i = 0; i < subscriptions; i++) {
        subscribe(furnishing, feeds.get(MEASURED), hosts, i);
      }
      if (scenario == Scenario.D) {
        // Webhook endpoints have a bound, which the measured feed uses up.
        furnishing.webSub(
            feeds.get(WARMING), hosts.callback(subscriptions), Secrets.of(subscriptions));
      } else {
        subscribe(furnishing, feeds.get(WARMING), hosts, subscriptions);
      }
    }
  }

  private void subscribe(Furnishing furnishing, FollowedFeed feed, Hosts hosts, int number) {
    String callback = hosts.callback(number);
    switch (scenario) {
      case A, G -> furnishing.webSub(feed, callback, Secrets.of(number));
      case B -> furnishing.webSub(feed, callback, null);
      case C -> furnishing.rssCloud(feed, callback);
      case D -> furnishing.webhook(feed, callback, number);
      default -> throw new IllegalStateException("not a fan-out: " + scenario);
    }
  }

  private boolean isSigned() {
    return scenario == Scenario.A || scenario == Scenario.D || scenario == Scenario.G;
  }

  /** The mark of each body: rssCloud sends only the URL of the feed. */
  private String mark(int feed) {
    return scenario == Scenario.C ? "feed%2F" + feed : SampleFeed.mark(version);
  }

  private void gatewayRound(Cast cast, Medians into) throws BenchException {
    double cpu = cast.gateway.cpuSeconds();
    long busy = 0;
    List<Long> firsts = new ArrayList<>();
    List<JsonNode> batches = new ArrayList<>();
    List<Long> acknowledged = new ArrayList<>();
    for (int event = 0; event < events; event++) {
      Published published = publish(cast, cast.topic, MEASURED, subscriptions);
      long at = published.at;
      JsonNode batch = published.batch;
      acknowledged.add(at);
      batches.add(batch);
      firsts.add(batch.get("first").asLong() - at);
      busy += batch.get("last").asLong() - at;
    }
    double deliveries = (double) events * subscriptions;
    into.add("rate", deliveries * Micros.SECOND / busy);
    into.add("cpu", (cast.gateway.cpuSeconds() - cpu) * 100_000 / deliveries);
    for (int i = 0; i < batches.size(); i++) {
      into.add("first", firsts.get(i) / 1_000.0);
      for (String part : List.of("p50", "p90", "p99")) {
        into.add(part, (batches.get(i).get(part).asLong() - acknowledged.get(i)) / 1_000.0);
      }
    }
  }

  /**
   * One event that has gone out to all of its subscribers.
   *
   * @param at when its ping was acknowledged, in microseconds
   */
  private record Published(long at, JsonNode batch) {}

  private Published publish(Cast cast, String topic, int feed, int subscribers)
      throws BenchException {
    version++;
    cast.origin.ask(SOON, "publish", version);
    begin(cast.sink, Hosts.Sender.GATEWAY, feed, subscribers);
    cast.gateway.ping(topic);
    long at = Micros.of(clock.instant());
    return new Published(at, complete(cast.sink, subscribers));
  }

  private void referenceRound(Cast cast, Medians into) throws BenchException {
    JsonNode sample = cast.sink.ask(SOON, "sample");
    Path head = store.folder().resolve("sample.head");
    Path body = store.folder().resolve("sample.body");
    try {
      Files.write(head, Reference.decoded(sample.get("head").asText()));
      Files.write(body, Reference.decoded(sample.get("body").asText()));
    } catch (IOException e) {
      throw new BenchException("The sample could not be written: " + e.getMessage(), e);
    }
    double cpu = seconds(cast.reference.cpu());
    long busy = 0;
    int begun = version - events;
    for (int event = 1; event <= events; event++) {
      begin(cast.sink, Hosts.Sender.REFERENCE, MEASURED, subscriptions);
      cast.reference.tell("run", head, body, subscriptions, begun + event);
      JsonNode batch = complete(cast.sink, subscriptions);
      long at = cast.reference.answer(LONGEST_BATCH).get("began").asLong();
      busy += batch.get("last").asLong() - at;
    }
    double deliveries = (double) events * subscriptions;
    into.add("referenceRate", deliveries * Micros.SECOND / busy);
    into.add("referenceCpu", (seconds(cast.reference.cpu()) - cpu) * 100_000 / deliveries);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
  }

  private void begin(Child sink, Hosts.Sender sender, int feed, int subscribers)
      throws BenchException {
    sink.ask(SOON, "begin", sender, subscribers, 1, isSigned(), mark(feed));
  }

  private static JsonNode complete(Child sink, int subscribers) throws BenchException {
    JsonNode batch = sink.ask(LONGEST_BATCH, "await");
    Judgement.check(batch, subscribers);
    return batch;
  }

  private List<Figure> figures() {
    boolean first = scenario == Scenario.A;
    List<Figure> figures = new ArrayList<>();
    figures.add(Figure.of("rate", "deliveries per second", medians.of("rate")));
    figures.add(Figure.of("referenceRate", "the reference's", medians.of("referenceRate")));
    figures.add(
        new Figure(
            "ratio",
            "their ratio",
            medians.of("ratio"),
            scenario == Scenario.G ? null : Goal.atLeast(first ? 0.8 : 0.75)));
    figures.add(Figure.of("cpu", "CPU seconds for 100,000 deliveries", medians.of("cpu")));
    figures.add(Figure.of("referenceCpu", "the reference's", medians.of("referenceCpu")));
    figures.add(
        new Figure(
            "cpuRatio", "their ratio", medians.of("cpuRatio"), first ? Goal.atMost(1.5) : null));
    figures.add(
        new Figure(
            "first",
            "ms from the acknowledged ping to the first delivery",
            medians.of("first"),
            first ? Goal.atMost(20) : null));
    figures.add(Figure.of("p50", "ms to half of them", medians.of("p50")));
    figures.add(Figure.of("p90", "ms to 90 %", medians.of("p90")));
    figures.add(Figure.of("p99", "ms to 99 %", medians.of("p99")));
    figures.add(
        Figure.of(
            "peak", "MiB of memory at most, with a heap of " + size.heap, medians.of("peak")));
    return figures;
  }
}
