package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.crash.Fleet.Node;
import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StoredRows;
import io.feedbridge.gateway.testing.TcpProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A long run of three nodes on one database, under load, with one fault after the other. What a
 * fault leaves is read while no node can write; then the nodes go on.
 */
final class NodesRun {

  private static final int NODES = 3;

  /** After so many faults digests are due. */
  private static final int DIGESTS_EACH = 3;

  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(400);
  private static final Duration CROWD_PAUSE = Duration.ofMillis(1_500);
  private static final Duration LONGEST_LIFE = Duration.ofMillis(1_800);
  private static final Duration SLOW = Duration.ofMillis(30);

  private static final Duration QUIET = Duration.ofSeconds(15);
  private static final Duration DRAINED_WITHIN = Duration.ofMinutes(3);
  private static final Duration PUBLISHED_WITHIN = Duration.ofMinutes(1);

  /** The owner's last line when it ended by itself, just before it was asked to: a kill. */
  private static final String ENDED_BY_ITSELF = "The node ends";

  private final EventTopic topic;
  private final Fleet fleet;
  private final World world;
  private final Cast cast;
  private final TestServer server;
  private final String database;
  private final Random random;
  private final Deque<Fault> plan;
  private final List<Long> epochs = new ArrayList<>();
  private int life = 1;

  /** A fault, by the name that the report gives it. */
  enum Fault {
    KILLED("kill -9 of the owner"),
    BRIEFLY_STOPPED("SIGSTOP of the owner for half a lease"),
    LONG_STOPPED("SIGSTOP of the owner for up to 3 leases"),
    CUT_OFF("the owner cut off from the database"),
    HALF_OPEN("the owner's connections half-open"),
    SESSIONS_ENDED("the owner's sessions ended by the server"),
    SERVER_CRASHED("crash of the database server"),
    COMMIT_LOST("the answer of a commit lost"),
    COMMIT_UNSENT("a commit lost on its way"),
    SLOW_NETWORK("a slow network for the owner"),
    ROLLED("SIGTERM of the owner"),
    STANDBY_KILLED("kill -9 of a standby"),
    STANDBY_CUT_OFF("a standby cut off from the database"),
    STANDBY_STOPPED("SIGSTOP of a standby for up to 2 leases"),
    PUBLISHER_KILLED("kill -9 of the owner after a write to Kafka"),
    KILLED_WITHOUT_BROKER("kill -9 of the owner while Kafka's broker is away"),
    BROKER_KILLED("kill -9 of Kafka's broker"),
    BROKER_STOPPED("SIGSTOP of Kafka's broker");

    final String words;

    Fault(String words) {
      this.words = words;
    }
  }

  /**
   * A run.
   *
   * @param server whose process this one may kill
   * @param classes of a mutant, or null
   * @param faults in their order
   */
  NodesRun(
      Path folder,
      TestServer server,
      @Nullable Path classes,
      long seed,
      List<Fault> faults,
      int crowd) {
    this.server = server;
    topic = new EventTopic(folder.resolve("kafka"));
    database = server.empty();
    fleet = new Fleet(folder, database, classes, NODES, topic.options());
    world = new World(fleet.url(), folder, fleet.rows(), seed, new Http()::formAsync);
    world.registrar.maySuspend(LEASE.multipliedBy(4));
    cast = new Cast(world, crowd);
    random = new Random(seed);
    plan = new ArrayDeque<>(faults);
  }

  /** So many faults, in a random order; each of the kinds comes as often as the others. */
  static List<Fault> plan(long seed, int faults, List<Fault> kinds) {
    Random random = new Random(seed);
    List<Fault> all = new ArrayList<>();
    while (all.size() < faults) {
      List<Fault> once = new ArrayList<>(kinds);
      Collections.shuffle(once, random);
      all.addAll(once.subList(0, Math.min(once.size(), faults - all.size())));
    }
    return all;
  }

  /** All faults, then the judge. */
  Report run() {
    try (topic;
        fleet;
        world) {
      world.journal.add(new Fact.Launched(life));
      topic.start();
      fleet.start(world.options());
      world.registrar.watch(true);
      cast.subscribe();
      cast.publish(PAUSE);
      world.publisher.run(List.of(cast.crowded), CROWD_PAUSE);
      while (!plan.isEmpty()) {
        fleet.revive();
        cast.stir(random);
        live();
        if (plan.size() % DIGESTS_EACH == 0) {
          world.makeDigestsDue(sql -> StoredRows.changeAt(database, sql));
        }
        meet(plan.remove());
      }
      calm();
      return Judge.judge(world.journal.lines());
    }
  }

  /** The facts of each follower that a fault names, for a reader who looks for its cause. */
  String journal(Report report) {
    return Excerpt.of(world.journal.lines(), report.faults());
  }

  /** The epochs of the store after each fault. */
  List<Long> epochs() {
    return epochs;
  }

  List<String> errors() {
    return fleet.errors();
  }

  private void live() {
    long goal = world.journal.deliveries() + random.nextInt(500);
    world.journal.await(
        () -> world.journal.deliveries() >= goal,
        Duration.ofMillis(1 + random.nextInt((int) LONGEST_LIFE.toMillis())));
  }

  private Duration pause(double least, double most) {
    double leases = least + random.nextDouble() * (most - least);
    return Duration.ofMillis((long) (LEASE.toMillis() * leases));
  }

  private void rest(Duration span) {
    world.journal.await(() -> false, span);
  }

  private void meet(Fault fault) {
    Node owner = fleet.awaitOwner();
    System.out.println("%s at %s".formatted(fault, owner.name));
    long since = System.nanoTime();
    switch (fault) {
      case KILLED -> {
        owner.process().kill9();
        killed(owner, fault, since);
      }
      case BRIEFLY_STOPPED -> {
        owner.process().suspend();
        owner.awaitNoStatement();
        ended(fault, true);
        rest(pause(0.1, 0.6));
        owner.process().resume();
      }
      case LONG_STOPPED -> {
        owner.process().suspend();
        owner.awaitNoStatement();
        ended(fault, false);
        takenOver(owner, since);
        rest(pause(0, 1.5));
        owner.process().resume();
      }
      case CUT_OFF -> {
        owner.cutOff();
        owner.awaitNoStatement();
        ended(fault, false);
        takenOver(owner, since);
        owner.connect();
      }
      case HALF_OPEN -> {
        owner.network.refuse(true);
        owner.network.halfOpen();
        owner.awaitNoStatement();
        ended(fault, false);
        takenOver(owner, since);
        owner.connect();
      }
      case SESSIONS_ENDED -> {
        fleet.cutOffAll();
        server.endSessions();
        left(fault, true);
      }
      case SERVER_CRASHED -> {
        long backend = fleet.anyBackend().orElseThrow();
        fleet.cutOffAll();
        server.crash(backend);
        left(fault, true);
      }
      case COMMIT_LOST -> {
        owner.network.refuse(true);
        owner.network.loseNextReply(TcpProxy.COMMIT);
        lost(owner, fault);
      }
      case COMMIT_UNSENT -> {
        owner.network.refuse(true);
        owner.network.loseNextRequest(TcpProxy.COMMIT);
        lost(owner, fault);
      }
      case SLOW_NETWORK -> {
        owner.network.delay(SLOW);
        rest(pause(0.2, 0.5));
        owner.network.delay(Duration.ZERO);
      }
      case ROLLED -> {
        fleet.standbys().forEach(Node::cutOff);
        GatewayProcess.Exit exit = owner.process().terminate();
        if (exit.code() != 0 && !exit.errors().contains(ENDED_BY_ITSELF)) {
          throw new AssertionError("the owner ended with " + exit.code() + "\n" + exit.errors());
        }
        left(fault, false);
      }
      case STANDBY_KILLED -> fleet.standbys().get(0).process().kill9();
      case STANDBY_CUT_OFF -> {
        Node standby = fleet.standbys().get(0);
        standby.cutOff();
        rest(pause(0.1, 1.5));
        standby.connect();
      }
      case STANDBY_STOPPED -> {
        Node standby = fleet.standbys().get(0);
        standby.process().suspend();
        rest(pause(0.1, 2));
        standby.process().resume();
      }
      case PUBLISHER_KILLED -> {
        topic.afterWrite(owner.process()::kill9);
        killed(owner, fault, System.nanoTime());
      }
      case KILLED_WITHOUT_BROKER ->
          topic.kill(
              () -> {
                owner.process().kill9();
                killed(owner, fault, System.nanoTime());
              });
      case BROKER_KILLED -> topic.kill(() -> rest(pause(0.1, 0.5)));
      case BROKER_STOPPED -> topic.suspend(() -> rest(pause(0.1, 1.2)));
    }
  }

  private void killed(Node owner, Fault fault, long since) {
    owner.awaitNoStatement();
    ended(fault, false);
    takenOver(owner, since);
  }

  private void lost(Node owner, Fault fault) {
    if (!world.journal.await(owner.network::hasLost, LEASE.dividedBy(2))) {
      throw new AssertionError("no commit was lost: " + fault);
    }
    fleet.cutOffAll();
    left(fault, true);
  }

  /** Reads the store while all nodes are cut off, and connects the nodes again. */
  private void left(Fault fault, boolean goesOn) {
    fleet.awaitNoSession();
    ended(fault, goesOn);
    fleet.connectAll();
  }

  /**
   * While no node can write.
   *
   * @param goesOn whether the owner stays the owner, unless it is slow
   */
  private void ended(Fault fault, boolean goesOn) {
    epochs.add(Long.valueOf(fleet.rows().query("SELECT MAX(epoch) FROM owner").get(0)));
    world.journal.add(new Fact.Ended(life, fault.words, Snapshot.of(fleet.rows(), true), goesOn));
    life++;
    world.journal.add(new Fact.Launched(life));
  }

  private void takenOver(Node before, long since) {
    Node now = fleet.awaitOwnerOtherThan(before);
    Duration took = Duration.ofNanos(System.nanoTime() - since);
    System.out.printf(
        "%s takes over from %s after %d ms%n", now.name, before.name, took.toMillis());
    world.journal.add(new Fact.Ready(life, took));
  }

  private void calm() {
    fleet.revive();
    world.sinks.calm();
    world.publisher.finish().orTimeout(120, TimeUnit.SECONDS).join();
    world.drain(QUIET, DRAINED_WITHIN);
    long end = System.nanoTime() + PUBLISHED_WITHIN.toNanos();
    while (!fleet.hasPublished() && System.nanoTime() < end) {
      rest(PAUSE);
    }
    fleet.stop();
    world.journal.add(topic.read(fleet.rows()));
    world.journal.add(new Fact.Ended(life, Kill.STOPPED, Snapshot.of(fleet.rows(), true)));
  }
}
