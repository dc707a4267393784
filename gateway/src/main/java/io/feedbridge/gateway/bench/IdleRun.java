package io.feedbridge.gateway.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.bench.data.Furnishing;
import io.feedbridge.gateway.bench.data.Secrets;
import io.feedbridge.gateway.bench.data.StorePlace;
import io.feedbridge.gateway.bench.figures.Figure;
import io.feedbridge.gateway.bench.figures.Goal;
import io.feedbridge.gateway.bench.figures.Medians;
import io.feedbridge.gateway.bench.parts.Part;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Scenario (i): the cost of following many feeds while nothing happens.
 *
 * <p>The parts of a gateway that act by themselves (the poll timer, ingest with its gate, upstream,
 * leases, removals and retention) run on the real store in a process of their own, by a clock that
 * goes on as soon as no work is in progress, and at each task separately. The measure is all
 * processor time that the process takes meanwhile, its writer, its collector and its compiler
 * included, as a share of one core over the simulated time. The network is left out: an origin
 * answers 304 at once within the process, so that neither a connection nor the kernel's work for
 * one is counted, but all work before a request and after its answer is. The time of an idle JVM is
 * not counted.
 *
 * <p>Each feed is polled once a day, the default for feeds that have been silent for long, and the
 * polls are spread evenly over the day. The cost of one poll is shown too, for gateways that poll
 * more often.
 */
final class IdleRun {

  private static final int FEEDS = 100_000;
  private static final int HOSTS = 1_000;
  private static final Duration ROUND = Duration.ofMinutes(10);
  private static final Duration PERIOD = Duration.ofDays(1);

  /** Polls that may be missing, or too many, at the ends of a round. */
  private static final int TOLERANCE = 2;

  private static final String HEAP = "256m";
  private static final int PERCENT = 100;
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration LONGEST_ROUND = Duration.ofMinutes(10);

  private final Plan plan;
  private final StorePlace store;
  private final Clock clock;
  private final Progress progress;
  private final Medians medians = new Medians();
  private final int feeds;

  IdleRun(Plan plan, StorePlace store, Clock clock, Progress progress) {
    this.plan = plan;
    this.store = store;
    this.clock = clock;
    this.progress = progress;
    feeds = plan.scaled(FEEDS);
  }

  /** Runs it. */
  Result run() throws BenchException {
    Instant start = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    furnish(start);
    try (Processes processes = new Processes(plan, store.folder())) {
      Child idle = processes.inPlaceOfGateway(Part.IDLE, HEAP);
      idle.ask(SOON, "start", start.getEpochSecond(), PERIOD.toSeconds(), store.data());
      for (int round = 0; round <= plan.rounds(); round++) {
        progress.show(Scenario.I, round, plan.rounds(), "ten minutes");
        round(idle, round == 0 ? new Medians() : medians);
      }
      medians.add("peak", idle.peakBytes().orElse(0L) / (double) (1 << 20));
    }
    return new Result(
        Scenario.I,
        plan.rounds(),
        List.of(
            new Figure(
                "share", "% of one core, fetches aside", medians.of("share"), Goal.atMost(1)),
            Figure.of("polls", "polls in the ten minutes", medians.of("polls")),
            Figure.of("each", "CPU ms for each of them", medians.of("each")),
            Figure.of(
                "peak", "MiB of memory at most, with a heap of " + HEAP, medians.of("peak"))));
  }

  private void round(Child idle, Medians into) throws BenchException {
    double before = cpuSeconds(idle);
    JsonNode round = idle.ask(LONGEST_ROUND, "pass", ROUND.toSeconds());
    double cpu = cpuSeconds(idle) - before;
    long polls = round.get("fetches").asLong();
    long expected = feeds * ROUND.toSeconds() / PERIOD.toSeconds();
    if (Math.abs(polls - expected) > TOLERANCE) {
      throw new BenchException("Of %,d polls there were %,d".formatted(expected, polls));
    }
    into.add("share", PERCENT * cpu / ROUND.toSeconds());
    into.add("polls", (double) polls);
    into.add("each", 1_000 * cpu / polls);
  }

  private static double cpuSeconds(Child process) {
    return process.cpu().toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
  }

  private void furnish(Instant start) {
    progress.prepares(Scenario.I, "the store is prepared, which takes a while");
    try (Furnishing furnishing = new Furnishing(store, clock)) {
      List<FollowedFeed> followed =
          furnishing.silent(
              IntStream.range(0, feeds).mapToObj(IdleRun::topic).toList(), start, PERIOD);
      for (int i = 0; i < feeds; i++) {
        furnishing.webSub(followed.get(i), "https://subscriber.example/" + i, Secrets.of(i));
      }
    }
  }

  private static String topic(int feed) {
    return "https://host-%d.bench.example/feed/%d".formatted(feed % HOSTS, feed);
  }
}
