package io.feedbridge.gateway.crash;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.StoredRows;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/** The world around gateways that come and go: origins, hubs, clouds, publishers, followers. */
final class World implements AutoCloseable {

  /** A push keeps polls away from all topics but those that are to be polled. */
  private static final Duration BACKUP = Duration.ofDays(1);

  /** What a gateway has still to do. */
  private static final String DUE =
      """
      SELECT (SELECT count(*) FROM work) + (SELECT count(*) FROM round)
        + (SELECT count(*) FROM feed WHERE head > rounded)
        + (SELECT count(*) FROM laggard WHERE state <> 'PARKED')
        + (SELECT count(*) FROM verification)
        + (SELECT count(*) FROM webhook WHERE state = 'PENDING')
        + (SELECT count(*) FROM consumer WHERE attempts > 0)
        + (SELECT count(*) FROM digest WHERE due_at <= %d)
        + (SELECT count(*) FROM feed WHERE topic LIKE '%%#%%' AND next_fetch_at < %d)
        + (SELECT count(*) FROM consumer c WHERE c.name LIKE 'relay:%%'
            AND c.cursor < (SELECT head FROM feed WHERE topic LIKE '%%/%s.xml'))
      """;

  /** The topic of which another server is told. */
  static final String RELAYED = "a";

  private static final Duration FOLLOWED_WITHIN = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(20);

  final Journal journal = new Journal();
  final FakeOrigin origin = new FakeOrigin();
  final FakeHub hub = new FakeHub();
  final FakeCloud cloud = new FakeCloud();
  final StoredRows rows;
  final Sinks sinks;
  final Publisher publisher;
  final Registrar registrar;
  final ScheduledExecutorService timer = Executors.newScheduledThreadPool(3);

  private final ExecutorService blocking = Executors.newCachedThreadPool();

  /**
   * A world with nobody in it.
   *
   * @param url by which callers reach the gateway
   * @param key the folder with the gateway's key
   * @param rows of the gateway's store
   * @param forms by which publishers and followers send their requests
   */
  World(String url, Path key, StoredRows rows, long seed, Forms forms) {
    this.rows = rows;
    publisher = new Publisher(journal, origin, hub, cloud, forms, url, timer, blocking, seed);
    sinks = new Sinks(journal, timer, seed, publisher::arrived, left -> onLeave(left));
    registrar = new Registrar(journal, sinks, forms, url, key, rows, timer);
  }

  /** The options of a gateway in this world. */
  List<String> options() {
    return List.of(
        "--poll-min=2s",
        "--poll-max=2s",
        "--backup-poll=" + BACKUP.toHours() + "h",
        "--relay=127.0.0.1/" + RELAYED + ".xml=hub:" + sinks.relayTarget());
  }

  /**
   * The period of all digests is over.
   *
   * @param change changes the store
   */
  void makeDigestsDue(Consumer<String> change) {
    long now = Clock.systemUTC().instant().getEpochSecond();
    journal.add(new Fact.DigestsDue(now));
    change.accept("UPDATE digest SET is_new = 0, due_at = %d".formatted(now * 1_000));
  }

  /** Pings that are held back are fetches before the backup poll. */
  private static String due() {
    long now = Clock.systemUTC().millis();
    return DUE.formatted(now, now + BACKUP.dividedBy(2).toMillis(), RELAYED);
  }

  private void onLeave(Follower follower) {
    registrar.left(follower);
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
    await().pollInterval(LOOK).atMost(FOLLOWED_WITHIN).until(() -> rows.count(polledLater) == 1);
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
      if (!registrar.idle() || !rows.query(due()).equals(List.of("0"))) {
        busy = System.nanoTime();
      } else {
        drained =
            System.nanoTime() - busy > quiet.toNanos()
                || Judge.judge(journal.lines()).count(Rule.LOST) == 0;
      }
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
    blocking.shutdownNow();
    sinks.close();
    cloud.close();
    hub.close();
    origin.close();
  }
}
