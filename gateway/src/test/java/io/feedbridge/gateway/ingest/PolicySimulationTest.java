package io.feedbridge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.Pace;
import io.feedbridge.gateway.store.Trust;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * 2,000 feeds over 30 days under the gateway's own rules for polls and for trust, with hubs that
 * work, go silent, drop deliveries or end leases early. It shows what the rules cost and how late
 * entries come, beside hourly polling and beside trusting push blindly. The stages that carry the
 * rules out have tests of their own.
 */
class PolicySimulationTest {

  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");
  private static final Duration SPAN = Duration.ofDays(30);
  private static final Duration PUSH = Duration.ofSeconds(2);
  private static final int FEEDS = 2_000;
  private static final long SEED = 42;

  private static final Cadence CADENCE =
      new Cadence(
          Duration.ofMinutes(1), Duration.ofHours(24), Duration.ofHours(24), Duration.ZERO, false);

  /** How a hub behaves. */
  private enum Hub {
    NONE,
    GOOD,
    /** From the fifth day on it accepts everything and delivers nothing. */
    SILENT,
    /** Every fifth delivery is lost. */
    DROPPING,
    /** It grants ten days and forgets the subscription after three. */
    FORGETTING
  }

  /** What one way of reading cost and gave. */
  private static final class Score {
    private long requests;
    private long lost;
    private final List<Duration> delays = new ArrayList<>();

    Duration p95() {
      List<Duration> sorted = delays.stream().sorted().toList();
      return sorted.isEmpty() ? Duration.ZERO : sorted.get(sorted.size() * 95 / 100);
    }

    @Override
    public String toString() {
      return "%.1f requests per entry, p95 of the delay %s, %d entries lost"
          .formatted((double) requests / Math.max(1, delays.size() + lost), p95(), lost);
    }
  }

  /** Times at which a feed has something new: more by day than by night, sometimes two at once. */
  private static List<Instant> rhythm(Random random) {
    Duration[] gaps = {
      Duration.ofMinutes(40), Duration.ofHours(5), Duration.ofDays(1), Duration.ofDays(5)
    };
    Duration gap = gaps[random.nextInt(gaps.length)];
    List<Instant> times = new ArrayList<>();
    Instant time = START;
    while (true) {
      time = time.plusSeconds((long) (-Math.log(1 - random.nextDouble()) * gap.toSeconds()));
      if (!time.isBefore(START.plus(SPAN))) {
        return times;
      }
      long hour = Duration.between(START, time).toHours() % 24;
      if (hour >= 7 || random.nextInt(4) == 0) {
        times.add(time);
        if (random.nextInt(10) == 0) {
          times.add(time);
        }
      }
    }
  }

  /** One feed as the gateway reads it. */
  private static final class Reading {
    private final Hub hub;
    private final List<Instant> entries;
    private final Score score;
    private final boolean[] seen;
    private Pace pace = Pace.UNKNOWN;
    private Duration period = Duration.ZERO;
    private Trust trust = Trust.NEW;
    private boolean live;
    private Instant liveSince = START;
    private Instant again = START;
    private Instant poll = START;
    private int deliveries;

    Reading(Hub hub, List<Instant> entries, Score score) {
      this.hub = hub;
      this.entries = entries;
      this.score = score;
      seen = new boolean[entries.size()];
    }

    void run() {
      subscribe(START);
      poll(START);
      for (int i = 0; i < entries.size(); i++) {
        pollsUntil(entries.get(i));
        if (delivers(entries.get(i))) {
          saw(i, entries.get(i).plus(PUSH));
          trust = trust.after(1, true);
        }
      }
      pollsUntil(START.plus(SPAN).plus(Duration.ofDays(2)));
    }

    private void pollsUntil(Instant time) {
      while (poll.isBefore(time)) {
        poll(poll);
      }
    }

    private void subscribe(Instant now) {
      if (hub != Hub.NONE) {
        score.requests++;
        live = true;
        liveSince = now;
        trust = trust.live(now);
      }
    }

    private boolean delivers(Instant time) {
      if (!live) {
        return false;
      }
      deliveries++;
      return switch (hub) {
        case NONE -> false;
        case GOOD -> true;
        case SILENT -> time.isBefore(START.plus(Duration.ofDays(5)));
        case DROPPING -> deliveries % 5 != 0;
        case FORGETTING -> time.isBefore(liveSince.plus(Duration.ofDays(3)));
      };
    }

    private void saw(int entry, Instant at) {
      if (!seen[entry]) {
        seen[entry] = true;
        score.delays.add(Duration.between(entries.get(entry), at));
      }
    }

    private void poll(Instant now) {
      score.requests++;
      if (!live && hub != Hub.NONE && !again.isAfter(now)) {
        subscribe(now);
      }
      int found = 0;
      for (int i = 0; i < seen.length && !entries.get(i).isAfter(now); i++) {
        if (!seen[i] && !entries.get(i).plus(PUSH).isAfter(now)) {
          saw(i, now);
          found++;
        }
      }
      if (found > 0) {
        pace = Rhythm.after(pace, found, now);
        if (live) {
          trust = trust.after(found, false);
        }
      }
      if (live && trust.misses()) {
        trust = trust.demoted(true);
        live = false;
        again = now.plus(Trust.pause(trust.demotions()));
      }
      period = CADENCE.after(period, found > 0, period.isZero(), pace, now);
      Instant next =
          CADENCE.next(
              now,
              live && trust.demotions() == 0 ? CADENCE.backup() : period,
              Pace.Asked.NOTHING,
              "http://a.b/");
      poll = !live && hub != Hub.NONE && again.isAfter(now) && again.isBefore(next) ? again : next;
    }

    void end() {
      for (boolean one : seen) {
        score.lost += one ? 0 : 1;
      }
    }
  }

  private static Score gateway(Hub hub, List<Instant> entries, Score score) {
    Reading reading = new Reading(hub, entries, score);
    reading.run();
    reading.end();
    return score;
  }

  private static void hourly(List<Instant> entries, long offset, Score score) {
    score.requests += SPAN.toHours();
    for (Instant entry : entries) {
      long into = (Duration.between(START, entry).toSeconds() + offset) % 3_600;
      score.delays.add(Duration.ofSeconds(3_600 - into));
    }
  }

  /** Polls feeds without a hub each hour, the others never again. */
  private static void blindly(Hub hub, List<Instant> entries, long offset, Score score) {
    if (hub == Hub.NONE) {
      hourly(entries, offset, score);
      return;
    }
    Reading trusting = new Reading(hub, entries, score);
    trusting.subscribe(START);
    for (int i = 0; i < entries.size(); i++) {
      if (trusting.delivers(entries.get(i))) {
        trusting.saw(i, entries.get(i).plus(PUSH));
      }
    }
    trusting.end();
  }

  @Test
  void every_entry_arrives_and_for_fewer_requests_than_by_hourly_polling() {
    Random random = new Random(SEED);
    Score ours = new Score();
    Score hourly = new Score();
    Score blind = new Score();
    Map<Hub, Score> byHub = new EnumMap<>(Hub.class);
    for (int feed = 0; feed < FEEDS; feed++) {
      int dice = random.nextInt(100);
      Hub hub =
          dice < 50
              ? Hub.NONE
              : dice < 80
                  ? Hub.GOOD
                  : dice < 87 ? Hub.SILENT : dice < 94 ? Hub.DROPPING : Hub.FORGETTING;
      List<Instant> entries = rhythm(random);
      long offset = random.nextInt(3_600);
      Score score = gateway(hub, entries, new Score());
      ours.requests += score.requests;
      ours.lost += score.lost;
      ours.delays.addAll(score.delays);
      Score ofHub = byHub.computeIfAbsent(hub, any -> new Score());
      ofHub.requests += score.requests;
      ofHub.delays.addAll(score.delays);
      hourly(entries, offset, hourly);
      blindly(hub, entries, offset, blind);
    }

    System.out.println("Feedbridge:           " + ours);
    System.out.println("hourly polling:       " + hourly);
    System.out.println("trusting push blindly: " + blind);
    byHub.forEach((hub, score) -> System.out.println("  hub " + hub + ": " + score));
    assertThat(ours.lost).isZero();
    assertThat(blind.lost).as("what watching is for").isPositive();
    assertThat(ours.requests).isLessThan(hourly.requests);
    assertThat(Objects.requireNonNull(byHub.get(Hub.GOOD)).delays)
        .allMatch(delay -> delay.compareTo(PUSH) <= 0);
    assertThat(ours.delays).allMatch(delay -> delay.compareTo(CADENCE.backup().plus(PUSH)) <= 0);
  }
}
