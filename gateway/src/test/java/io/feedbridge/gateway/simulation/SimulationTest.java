package io.feedbridge.gateway.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.simulation.Site.Hub;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Feeds with hubs that work, go silent, drop deliveries or forget subscriptions, read for days by
 * the real stages: what that costs and how late entries come, beside hourly polling and beside
 * trusting push blindly. This is the small form; 2,000 feeds over 30 days are {@code mvn
 * -Drun=SimulationTest verify}.
 */
class SimulationTest {

  private static final int FEEDS = Integer.getInteger("simulation.feeds", 20);
  private static final Duration SPAN = Duration.ofDays(Integer.getInteger("simulation.days", 2));
  private static final long SEED = Long.getLong("simulation.seed", 42);

  /** The longest that a poll is away: the longest period, and by what it is spread. */
  private static final Duration LONGEST_POLL =
      Simulation.CADENCE.max().plus(Duration.ofMinutes(15)).plus(Simulation.TICK);

  /** Entries of which the 95th percentile is no accident. */
  private static final int ENOUGH = 1_000;

  @TempDir Path data;

  private static void print(String name, Score score) {
    System.out.printf(Locale.ROOT, "[simulation] %-22s %s%n", name, score);
  }

  /** Once an hour, at a minute of its own. */
  private static Score hourly(Site site) {
    long offset = new Random(site.number()).nextInt(3_600);
    Score score = new Score();
    score.requests = SPAN.plus(Simulation.SETTLING).plus(Simulation.DRAIN).toHours();
    for (Instant entry : published(site)) {
      score.arrived(entry, Duration.ofSeconds(3_600 - (entry.getEpochSecond() + offset) % 3_600));
    }
    return score;
  }

  /** One subscription that is never looked at again; only what has no hub is polled, hourly. */
  private static Score blind(Site site) {
    if (site.hub() == Hub.NONE) {
      return hourly(site);
    }
    Score score = new Score();
    score.requests = 1;
    for (int i = site.published(Simulation.BEGIN); i < site.entries().size(); i++) {
      if (delivered(site, i)) {
        score.arrived(site.entries().get(i), FakeWeb.PUSH);
      } else {
        score.lost++;
      }
    }
    return score;
  }

  private static List<Instant> published(Site site) {
    return site.entries().subList(site.published(Simulation.BEGIN), site.entries().size());
  }

  private static boolean delivered(Site site, int entry) {
    Instant begin = Simulation.BEGIN;
    Instant time = site.entries().get(entry);
    return switch (site.hub()) {
      case NONE -> false;
      case GOOD -> true;
      case SILENT -> time.isBefore(begin.plus(SPAN.dividedBy(6)));
      case DROPPING -> (entry + 1) % 5 != 0;
      case FORGETTING -> time.isBefore(begin.plus(SPAN.dividedBy(10)));
    };
  }

  @Test
  void every_entry_arrives_as_soon_as_push_brings_it_or_else_a_poll() throws InterruptedException {
    Score ours = new Score();
    Score hourly = new Score();
    Score blind = new Score();
    Map<Hub, Score> byHub = new EnumMap<>(Hub.class);
    Score failing = new Score();
    Score twins = new Score();
    long start = System.nanoTime();
    try (Simulation simulation = new Simulation(data, FEEDS, SPAN, SEED)) {
      simulation.run();
      for (Site site : simulation.sites()) {
        Score score = simulation.score(site);
        ours.add(score);
        byHub.computeIfAbsent(site.hub(), any -> new Score()).add(score);
        hourly.add(hourly(site));
        blind.add(blind(site));
        simulation
            .twin(site)
            .map(simulation::score)
            .ifPresent(
                twin -> {
                  Instant since = score.foundOutAt().orElse(Instant.MAX);
                  failing.delays.addAll(score.delaysAfter(since));
                  twins.delays.addAll(twin.delaysAfter(since));
                });
      }
    }
    System.out.printf(
        Locale.ROOT,
        "[simulation] %,d feeds over %s in %.0f s%n",
        FEEDS,
        SPAN,
        (System.nanoTime() - start) / 1e9);
    print("Feedbridge", ours);
    print("hourly polling", hourly);
    print("trusting push blindly", blind);
    byHub.forEach((hub, score) -> print("  hub " + hub.name().toLowerCase(Locale.ROOT), score));

    System.out.printf(
        Locale.ROOT,
        "[simulation] hubs that are silent or drop, once found out: %,d entries, p95 %s;"
            + " the same feeds without a hub: p95 %s%n",
        failing.delays.size(),
        failing.p95(),
        twins.p95());

    assertThat(ours.lost).isZero();
    assertThat(blind.lost).as("what watching is for").isPositive();
    assertThat(ours.requests).isLessThan(hourly.requests);
    assertThat(byHub.keySet()).as("every kind of hub is there").hasSize(Hub.values().length);
    assertThat(delays(byHub, Hub.GOOD))
        .as("where push works")
        .allMatch(delay -> delay.compareTo(FakeWeb.PUSH) <= 0);
    assertThat(ours.delays)
        .as("where it does not")
        .allMatch(delay -> delay.compareTo(LONGEST_POLL) <= 0);
    if (failing.delays.size() >= ENOUGH) {
      assertThat(failing.p95())
          .as("once it is found out that push does not work")
          .isLessThanOrEqualTo(twins.p95().multipliedBy(5).dividedBy(4));
    }
  }

  private static List<Duration> delays(Map<Hub, Score> byHub, Hub hub) {
    return byHub.getOrDefault(hub, new Score()).delays;
  }
}
