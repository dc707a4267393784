package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.load.Publications.Publication;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A gateway that is started on a million pending deliveries, all due at once, is ready soon, stays
 * within its heap, and delivers them all. Not part of a usual build: {@code mvn -Drun=BacklogLoad
 * verify}.
 */
@Tag("alone")
class BacklogLoad {

  private static final int LAGGARDS = Integer.getInteger("backlog.laggards", 1_000_000);
  private static final int HOSTS = 100;
  private static final Duration READY = Duration.ofSeconds(5);
  private static final long HEAP = 512L << 20;

  private static final Duration LOOK = Duration.ofSeconds(5);

  /** How long the gateway may bring nothing to anybody before the test gives up. */
  private static final Duration STANDSTILL = Duration.ofMinutes(2);

  private final Backlog backlog = new Backlog(LAGGARDS / HOSTS);
  private final Arrivals fresh = new Arrivals();
  private final LocalHosts hosts = new LocalHosts(1, backlog);
  private final LocalHosts others = new LocalHosts(1, fresh);
  private final Origin origin = new Origin();
  private final int port = FreePort.next();
  @TempDir Path data;
  @TempDir Path nothing;
  private long launchedAt;

  @AfterEach
  void end() {
    hosts.close();
    others.close();
    origin.close();
  }

  private static void print(String line) {
    System.out.println("[backlog] " + line);
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  @Test
  void a_backlog_of_any_size_is_drained_in_bounded_memory() throws Exception {
    long start = System.nanoTime();
    String subscriber = others.listen("127.0.2.1").url("fresh");
    try (PreparedStore store = new PreparedStore(data)) {
      backlog.prepare(store, hosts.listen(1, HOSTS), origin.url("backlog-"));
      FollowedFeed feed = store.feed(origin.feed("fresh.xml"));
      store.subscribe(feed, subscriber);
    }
    print(
        String.format(
            Locale.ROOT,
            "%,d laggards of %,d feeds at %d hosts prepared in %.0f s",
            backlog.subscribers(),
            LAGGARDS / HOSTS,
            HOSTS,
            seconds(start)));

    Duration empty;
    try (GatewayProcess gateway = launch(nothing)) {
      empty = ready(gateway);
    }
    try (GatewayProcess gateway = launch(data);
        Publications publications = new Publications(gateway, origin)) {
      Duration ready = ready(gateway);
      print("ready after %s; with an empty store after %s".formatted(ready, empty));

      Drain drain = new Drain(gateway, publications);
      await()
          .atMost(Duration.ofDays(1))
          .pollInterval(LOOK)
          .until(
              () -> {
                drain.look();
                return backlog.served() == backlog.subscribers() || drain.stands();
              });
      drain.report();

      assertThat(backlog.served()).as("subscribers that have all").isEqualTo(backlog.subscribers());
      assertThat(backlog.wrong()).as("entries out of order").isZero();
      await().atMost(Duration.ofMinutes(1)).until(() -> gateway.meter("feedbridge_laggards") == 0);
      assertThat(gateway.errors()).doesNotContain("OutOfMemoryError");
      assertThat(drain.mostHeap).as("heap").isLessThan(HEAP);
      assertThat(ready).as("from the start to ready, empty: " + empty).isLessThan(READY);
      for (Publication publication : drain.published) {
        await().until(() -> fresh.reached(publication.entry(), List.of(subscriber)));
      }
    }
  }

  private GatewayProcess launch(Path folder) {
    List<String> jvm = List.of("-Xmx512m", "-XX:TieredStopAtLevel=4");
    launchedAt = System.nanoTime();
    return GatewayProcess.launchWith(jvm, folder, port, "--poll-min=12h", "--poll-max=24h");
  }

  private Duration ready(GatewayProcess gateway) {
    gateway.awaitReady();
    return Duration.ofNanos(System.nanoTime() - launchedAt);
  }

  /** What is seen while the backlog shrinks; publishes beside it. */
  private final class Drain {
    private final GatewayProcess gateway;
    private final Publications publications;
    private final List<Publication> published = new ArrayList<>();
    private final long start = System.nanoTime();
    private long movedAt = System.nanoTime();
    private int before;
    private long mostHeap;
    private long mostResident;

    Drain(GatewayProcess gateway, Publications publications) {
      this.gateway = gateway;
      this.publications = publications;
    }

    void look() throws Exception {
      published.add(publications.publish("fresh.xml", "entry-fresh-" + published.size()));
      int now = backlog.served();
      if (now > before) {
        movedAt = System.nanoTime();
      }
      long heap = Scrape.of(gateway).heapBytes();
      mostHeap = Math.max(mostHeap, heap);
      mostResident = Math.max(mostResident, ProcessFigures.of(gateway.pid()).residentBytes());
      print(
          String.format(
              Locale.ROOT,
              "%4.0f s  %,9d served  %,6.0f a second  heap %d MiB",
              seconds(start),
              now,
              (now - before) / (double) LOOK.toSeconds(),
              heap >> 20));
      before = now;
    }

    boolean stands() {
      return seconds(movedAt) > STANDSTILL.toSeconds();
    }

    void report() {
      double took = seconds(start);
      print(
          String.format(
              Locale.ROOT,
              "%,d of %,d served in %.0f s, %,.0f a second; %d entries doubled, %d out of order",
              backlog.served(),
              backlog.subscribers(),
              took,
              backlog.served() / took,
              backlog.doubled(),
              backlog.wrong()));
      print(
          "heap at most %d MiB, resident at most %d MiB"
              .formatted(mostHeap >> 20, mostResident >> 20));
      print(
          "publishing beside it: "
              + Percentiles.of(published.stream().map(p -> p.took().toNanos()).toList()));
    }
  }
}
