package io.feedbridge.gateway.crash;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.crash.Fleet.Node;
import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Each of two nodes is stopped once while it owns the store, and started again, under load. */
final class RollingRun {

  private static final int NODES = 2;
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration CROWD_PAUSE = Duration.ofMillis(1_500);
  private static final Duration PINGED = Duration.ofMillis(50);
  private static final Duration STIRRED = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration QUIET = Duration.ofSeconds(15);
  private static final Duration DRAINED_WITHIN = Duration.ofMinutes(2);

  private final Fleet fleet;
  private final PatientForms callers;
  private final World world;
  private final Cast cast;
  private final ScheduledExecutorService stirring = Executors.newSingleThreadScheduledExecutor();
  private final Random random;
  private final List<String> handovers = new ArrayList<>();
  private int life = 1;
  private long signalled;

  RollingRun(Path folder, TestServer server, long seed, int crowd) {
    fleet = new Fleet(folder, server.empty(), null, NODES, List.of());
    callers = new PatientForms(Executors.newSingleThreadScheduledExecutor());
    world = new World(fleet.url(), folder, fleet.rows(), seed, callers);
    cast = new Cast(world, crowd);
    random = new Random(seed);
  }

  /** The restart of both nodes, then the judge. */
  Report run() {
    try (fleet;
        world;
        callers) {
      world.journal.add(new Fact.Launched(life));
      fleet.start(world.options());
      world.registrar.watch(true);
      cast.subscribe();
      cast.publish(PAUSE);
      world.publisher.run(List.of(cast.crowded), CROWD_PAUSE);
      var unused =
          stirring.scheduleWithFixedDelay(
              () -> cast.stir(random), 0, STIRRED.toMillis(), TimeUnit.MILLISECONDS);
      // Publishers stop while a round is open; these pings never do. They bring no news.
      unused =
          stirring.scheduleAtFixedRate(
              () -> ping(cast.topics.get(0)), 0, PINGED.toMillis(), TimeUnit.MILLISECONDS);
      for (int i = 0; i < NODES; i++) {
        fleet.revive();
        // As the manual demands: the last handover is over for all callers before the next.
        await().atMost(LONG).until(() -> !callers.waits());
        roll();
      }
      await().atMost(LONG).until(() -> !callers.waits());
      calm();
      return Judge.judge(world.journal.lines());
    } finally {
      stirring.shutdownNow();
    }
  }

  PatientForms callers() {
    return callers;
  }

  /** Each handover, in words. */
  List<String> handovers() {
    return handovers;
  }

  private void ping(Topic topic) {
    var unused = callers.send(fleet.url() + "/hub", "hub.mode", "publish", "hub.url", topic.url());
  }

  private void roll() {
    Node owner = fleet.awaitOwner();
    // No node may write while the state that the owner left is read.
    Duration stopped = fleet.withoutNextOwner(() -> stop(owner));
    Node now = fleet.awaitOwnerOtherThan(owner);
    Duration took = Duration.ofNanos(System.nanoTime() - signalled);
    world.journal.add(new Fact.Ready(life, took));
    handovers.add(
        "%s stopped within %d ms, %s was ready %d ms after the signal"
            .formatted(owner.name, stopped.toMillis(), now.name, took.toMillis()));
  }

  private Duration stop(Node owner) {
    signalled = System.nanoTime();
    GatewayProcess.Exit exit = owner.process().terminate();
    if (exit.code() != 0) {
      throw new AssertionError("the owner ended with " + exit.code() + "\n" + exit.errors());
    }
    ended("SIGTERM of the owner");
    return exit.took();
  }

  private void ended(String how) {
    world.journal.add(new Fact.Ended(life, how, Snapshot.of(fleet.rows(), true)));
    life++;
    world.journal.add(new Fact.Launched(life));
  }

  private void calm() {
    fleet.revive();
    stirring.shutdown();
    world.sinks.calm();
    world.publisher.finish().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
    world.drain(QUIET, DRAINED_WITHIN);
    fleet.stop();
    world.journal.add(new Fact.Ended(life, Kill.STOPPED, Snapshot.of(fleet.rows(), true)));
  }
}
