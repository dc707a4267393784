package io.feedbridge.gateway.crash;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StoredRows;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A gateway in a process of its own that is started and ended again and again on the same data, and
 * the world around it, which stays.
 */
final class Arena implements AutoCloseable {

  /** A push keeps polls away from all topics but those that are to be polled. */
  private static final Duration BACKUP = Duration.ofDays(1);

  private static final String[] POLLS = {
    "--poll-min=2s", "--poll-max=2s", "--backup-poll=" + BACKUP.toHours() + "h"
  };

  /** What a gateway has still to do. */
  private static final String DUE =
      """
      SELECT (SELECT count(*) FROM work) + (SELECT count(*) FROM round)
        + (SELECT count(*) FROM feed WHERE head > rounded)
        + (SELECT count(*) FROM laggard WHERE state <> 'PARKED')
        + (SELECT count(*) FROM verification)
        + (SELECT count(*) FROM webhook WHERE state = 'PENDING')
        + (SELECT count(*) FROM consumer WHERE attempts > 0)
      """;

  private static final String AGED =
      """
      UPDATE event SET at = at - 2592000000
      WHERE seq <= (SELECT rounded FROM feed WHERE feed.id = event.feed_id)
        AND NOT EXISTS
          (SELECT 1 FROM laggard l WHERE l.feed_id = event.feed_id AND l.cursor < event.seq)
        AND NOT EXISTS (SELECT 1 FROM consumer c WHERE c.cursor < event.seq)
      """;

  private static final Duration START = Duration.ofMinutes(2);

  /** When what a start asked of others is counted. */
  private static final Duration FIRST_MOMENTS = Duration.ofSeconds(1);

  private static final Duration LOOK = Duration.ofMillis(20);

  final Journal journal = new Journal();
  final FakeOrigin origin = new FakeOrigin();
  final FakeHub hub = new FakeHub();
  final FakeCloud cloud = new FakeCloud();
  final Sinks sinks;
  final Publisher publisher;
  final Registrar registrar;
  final StoredRows rows;

  private final Path data;
  private final Engine engine;
  private final @Nullable Path classes;
  private final int port = FreePort.next();
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(3);
  private final ExecutorService blocking = Executors.newCachedThreadPool();
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
    Http http = new Http();
    String url = "http://127.0.0.1:" + port;
    rows = engine.rows();
    publisher = new Publisher(journal, origin, hub, cloud, http, url, timer, blocking, seed);
    sinks = new Sinks(journal, timer, seed, publisher::arrived, left -> onLeave(left));
    registrar = new Registrar(journal, sinks, http, url, data, rows, timer);
  }

  private void onLeave(Follower follower) {
    registrar.left(follower);
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
    journal.add(new Fact.Ready(life, Duration.ofNanos(System.nanoTime() - since)));
    registrar.watch(true);
    int now = life;
    var unused = timer.schedule(() -> count(now), FIRST_MOMENTS.toMillis(), TimeUnit.MILLISECONDS);
    return true;
  }

  /** Starts the gateway without waiting for anything. */
  void launch(Kill.@Nullable At point) {
    life++;
    callsBefore = calls();
    journal.add(new Fact.Launched(life));
    GatewayProcess.Command command = new GatewayProcess.Command(data, port).classes(classes);
    armed = point == null ? "" : point.point().label();
    if (point != null) {
      command = command.property(Failpoint.PROPERTY, point.toString());
    }
    List<String> options = new ArrayList<>(List.of(POLLS));
    options.addAll(engine.options());
    running = command.with(options.toArray(String[]::new)).launch();
  }

  private int[] calls() {
    return new int[] {origin.requests(), hub.requests().size(), cloud.requests().size()};
  }

  private synchronized void count(int ofLife) {
    if (life == ofLife && running().isAlive()) {
      int[] now = calls();
      journal.add(
          new Fact.Called(
              life, now[0] - callsBefore[0], now[1] - callsBefore[1], now[2] - callsBefore[2]));
    }
  }

  /**
   * Waits until a topic is followed by push, and so is hardly ever polled any more; nothing for one
   * that is to be polled.
   */
  void awaitFollowing(Topic topic) {
    if (topic.way() == Topic.Way.POLLED) {
      return;
    }
    String polledLater =
        "feed WHERE topic = '%s' AND next_fetch_at > %d"
            .formatted(
                topic.url(), Clock.systemUTC().instant().plus(BACKUP.dividedBy(2)).toEpochMilli());
    await().pollInterval(LOOK).atMost(START).until(() -> rows.count(polledLater) == 1);
  }

  /**
   * Waits until nothing is due any more and nobody misses anything; or nothing has been due for so
   * long that nothing will come; or the time is over.
   */
  void drain(Duration quiet, Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    long busy = System.nanoTime();
    boolean drained = false;
    while (!drained && System.nanoTime() < end) {
      journal.await(() -> false, LOOK.multipliedBy(5));
      if (!registrar.idle() || !rows.query(DUE).equals(List.of("0"))) {
        busy = System.nanoTime();
      } else {
        drained =
            System.nanoTime() - busy > quiet.toNanos()
                || Judge.judge(journal.lines()).count(Rule.LOST) == 0;
      }
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
   * Makes events that nobody needs any more so old that the next start removes them. To be called
   * while nothing runs.
   */
  void age() {
    engine.change(AGED);
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
    registrar.watch(false);
    running().errors().lines().filter(line -> line.contains("ERROR")).forEach(errors::add);
    running().close();
    synchronized (this) {
      journal.add(new Fact.Ended(life, how, engine.snapshot()));
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
    blocking.shutdownNow();
    if (running != null) {
      running.close();
    }
    sinks.close();
    cloud.close();
    hub.close();
    origin.close();
  }
}
