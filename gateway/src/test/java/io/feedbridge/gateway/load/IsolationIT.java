package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.load.Publications.Publication;
import io.feedbridge.gateway.store.Backend;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.postgres.PostgresBackend;
import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whoever is slow or dead, and whoever has very many subscribers, holds up nobody else. These tests
 * measure time, so they run when no other test does. {@code -Dfeedbridge.bed=postgres} has the
 * store in PostgreSQL.
 */
@Tag("alone")
class IsolationIT {

  /** By how much a delay may grow. */
  private static final double FACTOR = 1.5;

  /**
   * What a delay may grow by in any case: the healthy ones' whole delay is about this, and on a
   * small machine one collection of garbage, or a neighbour, takes as much. On one that is busy
   * with other things too it is more, which {@code isolation.noise} says, in milliseconds.
   */
  private static final Duration NOISE =
      Duration.ofMillis(Integer.getInteger("isolation.noise", 50));

  /** What a delivery counts as that does not arrive at all. */
  private static final Duration LONGEST = Duration.ofSeconds(20);

  /** Pings are not to wait for each other: that would hide what deliveries wait for. */
  private static final List<String> RARE_POLLS =
      List.of("--poll-min=12h", "--poll-max=24h", "--ping-quiet=0");

  private final Arrivals arrivals = new Arrivals();
  private final LocalHosts hosts = new LocalHosts(1, arrivals);
  private final Origin origin = new Origin();
  private final int port = FreePort.next();
  private final Optional<TestServer> server =
      System.getProperty("feedbridge.bed", "").equals("postgres")
          ? Optional.of(TestServer.durable())
          : Optional.empty();
  private final Optional<String> database = server.map(TestServer::empty);
  @TempDir Path data;

  @AfterEach
  void end() {
    server.ifPresent(TestServer::close);
    hosts.close();
    origin.close();
  }

  private PreparedStore prepared() {
    return new PreparedStore(
        database
            .<Backend>map(url -> new PostgresBackend(data, url))
            .orElseGet(() -> new SqliteBackend(data)));
  }

  private GatewayProcess start() {
    List<String> options = new ArrayList<>(RARE_POLLS);
    database.ifPresent(url -> options.add("--store=" + url));
    return GatewayProcess.start(data, port, options.toArray(String[]::new));
  }

  private static List<String> callbacks(List<LocalHost> some, String name, int count) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(some.get(i % some.size()).url(name + i));
    }
    return all;
  }

  /** Of each publication; waits until all have arrived, or too long. */
  private List<Percentiles> delays(List<Publication> publications, Collection<String> callbacks) {
    try {
      await()
          .atMost(LONGEST)
          .until(() -> publications.stream().allMatch(p -> arrivals.reached(p.entry(), callbacks)));
    } catch (ConditionTimeoutException late) {
      // What is missing counts as late; the assertions say by how much.
    }
    return publications.stream()
        .map(p -> arrivals.delays(p.entry(), callbacks, p.at(), LONGEST.toNanos()))
        .toList();
  }

  private static Duration allowed(Duration without) {
    return Duration.ofNanos((long) (without.toNanos() * FACTOR)).plus(NOISE);
  }

  private static void print(String line) {
    System.out.println("[isolation] " + line);
  }

  /** Those of one event, beside healthy ones: of its own kind each. */
  private static final class Bad {
    static final int HANGING = 20;
    static final int DEAD = 10_000;
    static final int REFUSING = 1_000;
    static final Duration SLOW = Duration.ofSeconds(9);
  }

  @Test
  void L3_healthy_subscribers_do_not_notice_hanging_dead_slow_and_closing_ones() {
    int count = 1_000;
    List<LocalHost> healthyHosts = hosts.listen(1, 50);
    List<LocalHost> hanging = hosts.listen(2, Bad.HANGING);
    LocalHost dead = hosts.listen("127.0.3.1");
    LocalHost refusing = hosts.listen("127.0.3.2");
    LocalHost slow = hosts.listen("127.0.3.3");
    LocalHost closing = hosts.listen("127.0.3.4");
    List<String> without = callbacks(healthyHosts, "without", count);
    List<String> beside = callbacks(healthyHosts, "beside", count);

    // Rounds walk in the order of subscription, so the bad ones stand between the healthy ones.
    List<String> mixed = new ArrayList<>(beside);
    mixed.addAll(callbacks(hanging, "hanging", Bad.HANGING));
    mixed.addAll(callbacks(List.of(dead), "dead", Bad.DEAD));
    mixed.addAll(callbacks(List.of(refusing), "refusing", Bad.REFUSING));
    mixed.add(slow.url("slow"));
    mixed.add(closing.url("closing"));
    Collections.shuffle(mixed, new Random(1));
    try (PreparedStore store = prepared()) {
      FollowedFeed first = store.feed(origin.feed("without.xml"));
      without.forEach(callback -> store.subscribe(first, callback));
      FollowedFeed second = store.feed(origin.feed("beside.xml"));
      mixed.forEach(callback -> store.subscribe(second, callback));
    }

    closing.manner(Manner.CLOSING);
    try (GatewayProcess gateway = start();
        Publications publications = new Publications(gateway, origin)) {
      Duration period = Duration.ofMillis(500);
      delays(publications.publish("without.xml", "warm-up", 8, period), without);
      List<Publication> wellOnes = publications.publish("beside.xml", "well", 2, period);
      delays(wellOnes, mixed);
      Percentiles well = Percentiles.pooled(delays(wellOnes, beside));
      List<Percentiles> a =
          delays(publications.publish("without.xml", "without", 10, period), without);

      hanging.forEach(host -> host.manner(Manner.HANGING));
      slow.manner(Manner.after(Bad.SLOW));
      dead.swallow();
      refusing.refuse();
      List<Percentiles> b =
          delays(publications.publish("beside.xml", "beside", 20, period), beside);

      Percentiles alone = Percentiles.pooled(a);
      Percentiles next = Percentiles.pooled(b.subList(1, b.size()));
      Duration worstAlone =
          a.stream().map(Percentiles::p99).max(Comparator.naturalOrder()).orElseThrow();
      print("without bad ones: %s; worst p99 %s".formatted(alone, worstAlone));
      print("beside well ones: " + well);
      print("beside, first:    " + b.get(0));
      print("beside, next:     " + next);
      print("laggards left:    " + (long) gateway.meter("feedbridge_laggards"));

      // One event's percentile is compared with that of single events, many events' with many.
      assertThat(b.get(0).p99()).as("the first event").isLessThanOrEqualTo(allowed(worstAlone));
      assertThat(next.p99()).as("the next events").isLessThanOrEqualTo(allowed(alone.p99()));
    }
  }

  @Test
  void L3_a_feed_with_20_000_subscribers_holds_up_neither_a_small_one_nor_intake() {
    List<LocalHost> manyHosts = hosts.listen(1, 40);
    List<String> many = callbacks(manyHosts, "many", 20_000);
    List<String> few = callbacks(List.of(hosts.listen("127.0.2.1")), "few", 3);
    try (PreparedStore store = prepared()) {
      FollowedFeed large = store.feed(origin.feed("large.xml"));
      many.forEach(callback -> store.subscribe(large, callback));
      FollowedFeed small = store.feed(origin.feed("small.xml"));
      few.forEach(callback -> store.subscribe(small, callback));
    }

    try (GatewayProcess gateway = start();
        Publications publications = new Publications(gateway, origin)) {
      Duration period = Duration.ofMillis(50);
      delays(List.of(publications.publish("large.xml", "entry-warm-up")), many);
      delays(publications.publish("small.xml", "warm-up", 40, period), few);
      List<Publication> idle = publications.publish("small.xml", "idle", 100, period);
      Percentiles idleDelays = Percentiles.pooled(delays(idle, few));

      manyHosts.forEach(host -> host.manner(Manner.after(Duration.ofMillis(400))));
      Publication largeOne = publications.publish("large.xml", "entry-large");
      List<Publication> busy = publications.publish("small.xml", "busy", 100, period);
      int reached = arrivals.count(largeOne.entry());
      Percentiles busyDelays = Percentiles.pooled(delays(busy, few));
      Percentiles largeDelays = delays(List.of(largeOne), many).get(0);

      Percentiles idleIntake = intake(idle);
      Percentiles busyIntake = intake(busy);
      print("small feed, idle: " + idleDelays);
      print("small feed, busy: " + busyDelays);
      print("intake, idle:     " + idleIntake);
      print("intake, busy:     " + busyIntake);
      print("large feed:       %s; %,d at the small one's last".formatted(largeDelays, reached));
      assertThat(reached).as("the large feed was under way").isBetween(1, many.size() - 1);
      assertThat(busyDelays.p99()).as("small feed").isLessThanOrEqualTo(allowed(idleDelays.p99()));
      assertThat(busyIntake.p99()).as("intake").isLessThanOrEqualTo(allowed(idleIntake.p99()));
      assertThat(largeDelays.at(100)).as("large feed").isLessThan(LONGEST);
    }
  }

  private static Percentiles intake(List<Publication> publications) {
    return Percentiles.of(publications.stream().map(p -> p.took().toNanos()).toList());
  }
}
