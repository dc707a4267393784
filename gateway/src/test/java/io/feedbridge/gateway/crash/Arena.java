package io.feedbridge.gateway.crash;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A gateway in a process of its own that is started and ended again and again on the same data, and
 * the world around it, which stays.
 */
final class Arena implements AutoCloseable {

  private static final String UNNEEDED =
      """
      event WHERE seq <= (SELECT rounded FROM feed WHERE feed.id = event.feed_id)
        AND NOT EXISTS
          (SELECT 1 FROM laggard l WHERE l.feed_id = event.feed_id AND l.cursor < event.seq)
        AND NOT EXISTS (SELECT 1 FROM consumer c WHERE c.cursor < event.seq)
      """;

  private static final Duration START = Duration.ofMinutes(2);

  /** When what a start asked of others is counted. */
  private static final Duration FIRST_MOMENTS = Duration.ofSeconds(1);

  /** Longer than the window of a seldom follower. */
  private static final Duration UNNEEDED_WITHIN = Duration.ofSeconds(20);

  private static final Duration LOOK = Duration.ofMillis(20);

  final World world;

  private final Path data;
  private final Engine engine;
  private final @Nullable Path classes;
  private final int port = FreePort.next();
  private final List<String> errors = new ArrayList<>();
  private @Nullable GatewayProcess running;
  private String armed = "";
  private int life;
  private int[] callsBefore = new int[3];

  /**
   * Nothing runs yet.
   *
   * @param data an empty folder
   * @param engine without a store yet
   * @param classes of a mutant, or null
   */
  Arena(Path data, Engine engine, @Nullable Path classes, long seed) {
    this.data = data;
    this.engine = engine;
    this.classes = classes;
    world = new World("http://127.0.0.1:" + port, data, engine.rows(), seed, new Http()::formAsync);
  }

  GatewayProcess running() {
    return Objects.requireNonNull(running, "no gateway was launched");
  }

  /** Which life this is, from 1. */
  int life() {
    return life;
  }

  /** What the gateway logged as errors in all its lives so far. */
  List<String> errors() {
    return errors;
  }

  /** Starts the gateway and waits until it is ready. */
  void start() {
    if (!start(null)) {
      throw new AssertionError("the gateway ended:\n" + running().errors());
    }
  }

  /** Starts the gateway with a failpoint; says whether it got ready before it came to that. */
  boolean start(Kill.@Nullable At point) {
    long since = System.nanoTime();
    launch(point);
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(LOOK)
        .atMost(START)
        .until(() -> !running().isAlive() || running().healthy());
    if (!running().isAlive()) {
      return false;
    }
    world.journal.add(new Fact.Ready(life, Duration.ofNanos(System.nanoTime() - since)));
    world.registrar.watch(true);
    int now = life;
    var unused =
        world.timer.schedule(() -> count(now), FIRST_MOMENTS.toMillis(), TimeUnit.MILLISECONDS);
    return true;
  }

  /** Starts the gateway without waiting for anything. */
  void launch(Kill.@Nullable At point) {
    life++;
    callsBefore = calls();
    world.journal.add(new Fact.Launched(life));
    GatewayProcess.Command command = new GatewayProcess.Command(data, port).classes(classes);
    armed = point == null ? "" : point.point().label();
    if (point != null) {
      command = command.property(Failpoint.PROPERTY, point.toString());
    }
    List<String> options = new ArrayList<>(world.options());
    options.addAll(engine.options());
    running = command.with(options.toArray(String[]::new)).launch();
  }

  private int[] calls() {
    return new int[] {
      world.origin.requests(), world.hub.requests().size(), world.cloud.requests().size()
    };
  }

  private synchronized void count(int ofLife) {
    if (life == ofLife && running().isAlive()) {
      int[] now = calls();
      world.journal.add(
          new Fact.Called(
              life, now[0] - callsBefore[0], now[1] - callsBefore[1], now[2] - callsBefore[2]));
    }
  }

  /** Kill -9. */
  void kill(String how) {
    running().kill9();
    ended(how);
  }

  /** Waits for a process that a failpoint is to end; false if it does not come to it. */
  boolean halts(Duration within) {
    CompletableFuture<Integer> end = running().ended();
    boolean ended =
        end.thenApply(code -> true)
            .completeOnTimeout(false, within.toMillis(), TimeUnit.MILLISECONDS)
            .join();
    if (!ended) {
      return false;
    }
    if (end.join() != Failpoint.HALTED) {
      throw new AssertionError("it ended with " + end.join() + ":\n" + running().errors());
    }
    ended(armed);
    return true;
  }

  /**
   * Runs the gateway until there are events that nobody needs any more, ends it, and makes them so
   * old that the next start removes them.
   */
  void age() {
    start();
    world.journal.await(() -> world.rows.count(UNNEEDED) > 0, UNNEEDED_WITHIN);
    kill(Kill.RANDOM);
    engine.change(UNNEEDED.replaceFirst("event", "UPDATE event SET at = at - 2592000000"));
  }

  /** The period of all digests is over. To be called while nothing runs. */
  void makeDigestsDue() {
    world.makeDigestsDue(engine::change);
  }

  /** Ends a backup of the running gateway in the middle, then the gateway, by kill -9. */
  void killWithBackUp(Kill.At point) {
    GatewayProcess.Command command =
        new GatewayProcess.Command(data, port).property(Failpoint.PROPERTY, point.toString());
    try (GatewayProcess backUp = command.backUp(data.resolveSibling("backup-" + life + ".db"))) {
      GatewayProcess.Exit exit = backUp.exit();
      if (exit.code() != Failpoint.HALTED) {
        throw new AssertionError("the backup ended with " + exit.code() + ":\n" + exit.errors());
      }
    }
    kill(point.point().label());
  }

  /** SIGTERM; the process must end well. */
  void stop() {
    GatewayProcess.Exit exit = running().terminate();
    if (exit.code() != 0) {
      throw new AssertionError("it ended with " + exit.code() + ":\n" + exit.errors());
    }
    ended(Kill.STOPPED);
  }

  private void ended(String how) {
    world.registrar.watch(false);
    running().errors().lines().filter(line -> line.contains("ERROR")).forEach(errors::add);
    running().close();
    synchronized (this) {
      world.journal.add(new Fact.Ended(life, how, engine.snapshot()));
    }
  }

  @Override
  public void close() {
    if (running != null) {
      running.close();
    }
    world.close();
  }
}
