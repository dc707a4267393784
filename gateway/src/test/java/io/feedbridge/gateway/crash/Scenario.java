package io.feedbridge.gateway.crash;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.crash.Follower.Kind;
import io.feedbridge.gateway.crash.Follower.Temper;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.websub.SignatureMethod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One kill at the moment that shows one mistake: what a mutant with that mistake does not survive,
 * and the gateway does.
 */
final class Scenario {

  private static final Duration LONG = Duration.ofMinutes(1);

  /** How long an answer is waited for that should not come. */
  private static final Duration UNANSWERED = Duration.ofSeconds(2);

  private static final Duration QUIET = Duration.ofSeconds(1);

  private final Engine engine;
  private final Arena arena;
  private final Topic topic;
  private final List<Follower> followers = new ArrayList<>();

  private Scenario(Path data, Engine engine, @Nullable Path classes) {
    this.engine = engine;
    arena = new Arena(data, engine, classes, 0);
    // Of which no other server is told.
    topic = arena.world.publisher.topic("m", Topic.Way.HUB_PING);
  }

  /** What happens up to the kill, and the kill itself. */
  interface Script {
    void play(Scenario scenario);
  }

  /**
   * Plays a script, starts the gateway once more, and lets it do what it has still to do.
   *
   * @param data an empty folder
   * @param engine without a store yet
   * @param classes of a mutant, or null
   */
  static Report play(
      Script script, Path data, Engine engine, @Nullable Path classes, Duration drainedWithin) {
    Scenario scenario = new Scenario(data, engine, classes);
    try (Arena arena = scenario.arena) {
      script.play(scenario);
      arena.world.sinks.calm();
      arena.start();
      arena.world.publisher.finish().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
      arena.world.drain(QUIET, drainedWithin);
      arena.kill(Kill.RANDOM);
      return Judge.judge(arena.world.journal.lines());
    }
  }

  /** So many followers of the topic, all well, whose subscriptions have outlived a stop. */
  private void subscribed(int count) {
    arena.start();
    List<CompletableFuture<Void>> subscribed = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Follower follower =
          new Follower(
              "m." + i,
              topic,
              Kind.ATOM,
              Temper.WELL,
              arena.world.sinks.host("well"),
              SignatureMethod.SHA256);
      followers.add(follower);
      subscribed.add(arena.world.registrar.subscribe(follower));
    }
    CompletableFuture.allOf(subscribed.toArray(CompletableFuture<?>[]::new))
        .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS)
        .join();
    arena.world.awaitFollowing(topic);
  }

  private void subscribedThen(int count, Failpoint point) {
    subscribed(count);
    arena.stop();
    arena.start(new Kill.At(point, 1));
  }

  private void halts() {
    if (!arena.halts(LONG)) {
      throw new AssertionError("it never came to its failpoint");
    }
  }

  private void publish() {
    arena.world.publisher.publish(topic).orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
  }

  private void awaitRound() {
    await()
        .atMost(LONG)
        .until(() -> arena.world.rows.count("feed WHERE head > 0 AND head = rounded") == 1);
  }

  /** The disk is slow, a ping comes, and the process is killed before the disk has it. */
  static void killed_while_a_ping_is_being_written(Scenario scenario) {
    scenario.subscribed(2);
    try (var lock = scenario.engine.lock()) {
      CompletableFuture<Integer> answered = scenario.arena.world.publisher.publish(scenario.topic);
      // Answered or not: what counts is that whoever was answered keeps what was promised.
      scenario.arena.world.journal.await(() -> answered.isDone() && lock.isHeld(), UNANSWERED);
      scenario.arena.running().kill9();
    }
    scenario.arena.kill(Kill.RANDOM);
  }

  /** Somebody fails in a round that closes without it. */
  static void killed_while_a_laggard_waits(Scenario scenario) {
    scenario.subscribed(3);
    scenario.arena.world.sinks.refuse(scenario.followers.get(1));
    scenario.publish();
    scenario.awaitRound();
    scenario.arena.kill(Kill.RANDOM);
  }

  /**
   * The first in a round has not answered, all others have. They are enough for a checkpoint before
   * the round closes.
   */
  static void killed_before_a_round_closes(Scenario scenario) {
    scenario.subscribedThen(60, Failpoint.BEFORE_ROUND_CLOSE);
    scenario.arena.world.sinks.hold(scenario.followers.get(0));
    scenario.publish();
    scenario.halts();
  }

  /** A laggard is marked in flight. */
  static void killed_when_a_laggard_is_claimed(Scenario scenario) {
    scenario.subscribedThen(2, Failpoint.LAGGARDS_CLAIMED);
    scenario.arena.world.sinks.refuse(scenario.followers.get(0));
    scenario.publish();
    scenario.halts();
  }

  /** A topic was fetched for a ping. */
  static void killed_after_a_fetch(Scenario scenario) {
    scenario.subscribedThen(2, Failpoint.AFTER_FETCH);
    scenario.publish();
    scenario.halts();
  }

  /** A laggard has got what it missed, and then there is more. */
  static void killed_after_a_laggard_was_served(Scenario scenario) {
    scenario.subscribed(2);
    scenario.arena.world.sinks.refuse(scenario.followers.get(0));
    scenario.publish();
    scenario.awaitRound();
    scenario.arena.world.sinks.calm();
    await()
        .atMost(LONG)
        .until(() -> scenario.arena.world.rows.count("laggard WHERE error IS NULL") == 1);
    scenario.arena.kill(Kill.RANDOM);
    scenario.arena.start();
    scenario.publish();
    scenario.awaitRound();
    scenario.arena.kill(Kill.RANDOM);
  }

  /** A laggard has failed twice, so that its next try is not soon. */
  static void killed_while_a_laggard_is_to_be_left_alone(Scenario scenario) {
    scenario.subscribed(2);
    scenario.arena.world.sinks.refuse(scenario.followers.get(0));
    scenario.publish();
    await()
        .atMost(LONG)
        .until(() -> scenario.arena.world.rows.count("laggard WHERE attempts = 2") == 1);
    scenario.arena.kill(Kill.RANDOM);
  }

  /** All of many in a round have got it, all but one have answered; a checkpoint covers some. */
  static void killed_past_a_checkpoint(Scenario scenario) {
    int all = 300;
    scenario.subscribed(all);
    // Until the gateway has warmed up, and nobody is left behind for its own slowness any more.
    do {
      scenario.publish();
      scenario.awaitRound();
    } while (scenario.arena.world.rows.count("laggard") > 0);
    scenario.arena.world.sinks.hold(scenario.followers.get(all - 1));
    long goal = scenario.arena.world.journal.deliveries() + all;
    scenario.publish();
    scenario.arena.world.journal.await(
        () -> scenario.arena.world.journal.deliveries() >= goal, LONG);
    scenario.arena.kill(Kill.RANDOM);
  }
}
