package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.crash.Follower.Kind;
import io.feedbridge.gateway.crash.Follower.Temper;
import io.feedbridge.gateway.crash.Topic.Way;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.websub.SignatureMethod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A long run: one life of the gateway after the other, under load, each ended in another way. */
final class CrashRun {

  /** How long a life may take to come to its failpoint. */
  private static final Duration REACHED_WITHIN = Duration.ofSeconds(20);

  private static final Duration PAUSE = Duration.ofMillis(400);
  private static final Duration CROWD_PAUSE = Duration.ofMillis(1_500);

  /** Longer than the pause before a second try. */
  private static final Duration DRAINED_WITHIN = Duration.ofMinutes(3);

  /** Longer than the period of the polls. */
  private static final Duration QUIET = Duration.ofSeconds(15);

  private static final int MOST_MISSES = 2;

  /** In which lives of so many those who hang or die at times do so. */
  private static final int PERIOD = 40;

  /** After so many lives digests are due. */
  private static final int DIGESTS_EACH = 3;

  private final Arena arena;
  private final Cast cast;
  private final Random random;
  private final Deque<Kill> plan;
  private final Map<Failpoint, Integer> missed = new EnumMap<>(Failpoint.class);
  private final Set<Failpoint> planted;
  private int further;

  /**
   * A run.
   *
   * @param data a folder that is empty or not there yet; backups go beside it
   * @param points failpoints, each of which is one of the kills
   * @param kills at least
   * @param crowd subscriptions of the topic that has the most
   */
  CrashRun(Path data, Engine engine, Set<Failpoint> points, long seed, int kills, int crowd) {
    arena = new Arena(data, engine, null, seed);
    planted = points;
    cast = new Cast(arena.world, crowd);
    random = new Random(seed);
    Set<Failpoint> passed = EnumSet.copyOf(planted);
    passed.remove(Failpoint.MID_MIGRATION);
    plan = new ArrayDeque<>(Kill.plan(random, kills, passed));
  }

  /** All its lives, then the judge. */
  Report run() {
    try (arena) {
      begin();
      while (!plan.isEmpty()) {
        live(plan.remove());
      }
      calm();
      return Judge.judge(arena.world.journal.lines());
    }
  }

  /** Failpoints that are no part of the run. */
  Set<String> notPlanted() {
    return EnumSet.complementOf(EnumSet.copyOf(planted)).stream()
        .map(Failpoint::label)
        .collect(Collectors.toSet());
  }

  /** Failpoints that are a part of the run. */
  Set<String> plantedPoints() {
    return planted.stream().map(Failpoint::label).collect(Collectors.toSet());
  }

  /** The facts of each follower that a fault names, for a reader who looks for its cause. */
  String journal(Report report) {
    return Excerpt.of(arena.world.journal.lines(), report.faults());
  }

  List<String> errors() {
    return arena.errors();
  }

  private void begin() {
    if (planted.contains(Failpoint.MID_MIGRATION)
        && !arena.start(new Kill.At(Failpoint.MID_MIGRATION, 1))) {
      arena.halts(REACHED_WITHIN);
      arena.start();
    } else if (!planted.contains(Failpoint.MID_MIGRATION)) {
      arena.start();
    }
    cast.subscribe();
    cast.publish(PAUSE);
    arena.world.publisher.run(List.of(cast.crowded), CROWD_PAUSE);
    arena.kill(Kill.RANDOM);
  }

  private void live(Kill kill) {
    int phase = arena.life() % PERIOD;
    arena.world.sinks.vanish(Temper.DEAD, phase >= 3 && phase < 6);
    arena.world.sinks.hang(phase >= 4 && phase < 8);
    if (phase % DIGESTS_EACH == 0) {
      arena.makeDigestsDue();
    }
    if (kill instanceof Kill.AtStart start) {
      arena.launch(null);
      arena.world.journal.await(() -> false, start.after());
      arena.kill(Kill.STARTING);
    } else if (kill instanceof Kill.At at) {
      liveTo(at);
    } else if (kill instanceof Kill.AtRandom moment) {
      arena.start();
      stir();
      long goal = arena.world.journal.deliveries() + moment.deliveries();
      arena.world.journal.await(() -> arena.world.journal.deliveries() >= goal, moment.atMost());
      arena.kill(Kill.RANDOM);
    }
  }

  private void liveTo(Kill.At at) {
    if (at.point() == Failpoint.MID_BACKUP) {
      arena.start();
      arena.killWithBackUp(at);
      return;
    }
    if (at.point() == Failpoint.MID_RETENTION) {
      arena.age();
    }
    if (arena.start(at)) {
      provoke(at.point());
    }
    if (!arena.halts(REACHED_WITHIN)) {
      arena.kill(Kill.RANDOM);
      if (missed.merge(at.point(), 1, Integer::sum) <= MOST_MISSES) {
        plan.add(new Kill.At(at.point(), 1));
      }
    }
  }

  private void provoke(Failpoint point) {
    switch (point) {
      case MID_SHUTDOWN -> arena.running().signal();
      case BEFORE_CONFIRMATION -> renew();
      case BEFORE_UPSTREAM_REQUEST -> followOneMore();
      default -> stir();
    }
  }

  /** Has a subscription made, renewed or ended. */
  private void stir() {
    switch (random.nextInt(3)) {
      case 0 -> renew();
      case 1 -> subscribeOneMore();
      default -> unsubscribe();
    }
  }

  private void renew() {
    pick(follower -> follower.method() != null)
        .ifPresent(
            follower -> {
              var unused = arena.world.registrar.subscribe(follower);
            });
  }

  private void subscribeOneMore() {
    Topic topic = cast.topics.get(random.nextInt(cast.topics.size()));
    Kind kind = List.of(Kind.ATOM, Kind.JSON, Kind.WEBHOOK).get(random.nextInt(3));
    Temper temper = random.nextBoolean() ? Temper.WELL : Temper.FAILING;
    SignatureMethod[] methods = SignatureMethod.values();
    var unused =
        arena.world.registrar.subscribe(
            cast.add(
                topic,
                kind,
                temper,
                kind.isWebhook() ? null : methods[random.nextInt(methods.length)]));
  }

  private void unsubscribe() {
    pick(follower -> true)
        .ifPresent(
            follower -> {
              cast.followers.remove(follower);
              var unused = arena.world.registrar.unsubscribe(follower);
            });
  }

  private Optional<Follower> pick(Predicate<Follower> condition) {
    List<Follower> fit =
        cast.followers.stream()
            .filter(follower -> follower.temper() == Temper.WELL && follower.kind().isAtHub())
            .filter(condition)
            .filter(follower -> !arena.world.registrar.isBusy(follower))
            .toList();
    return fit.isEmpty() ? Optional.empty() : Optional.of(fit.get(random.nextInt(fit.size())));
  }

  /** A topic that nobody followed before, with a hub to be asked. */
  private void followOneMore() {
    further++;
    Topic topic = arena.world.publisher.topic("x" + further, Way.HUB_PING);
    var unused =
        arena
            .world
            .registrar
            .subscribe(cast.add(topic, Kind.ATOM, Temper.WELL, SignatureMethod.SHA256))
            .thenCompose(done -> arena.world.publisher.publish(topic));
  }

  /** Everybody is well, and the gateway is left alone until nothing is due any more. */
  private void calm() {
    arena.world.sinks.calm();
    arena.start();
    arena.world.publisher.finish().orTimeout(60, TimeUnit.SECONDS).join();
    arena.world.drain(QUIET, DRAINED_WITHIN);
    arena.stop();
  }
}
