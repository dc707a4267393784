package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.load.Publications.Publication;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that are slow in every way hold up nobody and take bounded memory. In a usual build there
 * are some; {@code mvn -Drun=SlowConnectionsIT verify} has ten thousand.
 */
@Tag("alone")
class SlowConnectionsIT {

  private static final int CONNECTIONS = Integer.getInteger("slow.connections", 1_500);

  /** By how much a delay may grow, and what it may grow by in any case: see {@link IsolationIT}. */
  private static final double FACTOR = 1.5;

  private static final Duration NOISE =
      Duration.ofMillis(Integer.getInteger("isolation.noise", 50));

  private static final Duration LONGEST = Duration.ofSeconds(20);
  private static final Duration PERIOD = Duration.ofMillis(40);
  private static final int WARM_UP = 20;
  private static final int EVENTS = 30;
  private static final int PROBES = 20;
  private static final Duration PROMISED = Duration.ofSeconds(1);
  private static final String HEAP = "-Xmx256m";

  /** Beside the heap: code, threads, and what Netty reads into. */
  private static final long RESIDENT = 640L << 20;

  private static final long ROOM = 64L << 20;

  private final Arrivals arrivals = new Arrivals();
  private final LocalHosts hosts = new LocalHosts(1, arrivals);
  private final Origin origin = new Origin();
  private final int port = FreePort.next();
  @TempDir Path data;

  @AfterEach
  void end() {
    hosts.close();
    origin.close();
  }

  private static void print(String line) {
    System.out.println("[slow] " + line);
  }

  private Percentiles delays(List<Publication> publications, List<String> callbacks) {
    try {
      await()
          .atMost(LONGEST)
          .until(() -> publications.stream().allMatch(p -> arrivals.reached(p.entry(), callbacks)));
    } catch (ConditionTimeoutException late) {
      // What is missing counts as late; the assertions say by how much.
    }
    return Percentiles.pooled(
        publications.stream()
            .map(p -> arrivals.delays(p.entry(), callbacks, p.at(), LONGEST.toNanos()))
            .toList());
  }

  private static Percentiles intake(List<Publication> publications) {
    return Percentiles.of(publications.stream().map(p -> p.took().toNanos()).toList());
  }

  private static Duration allowed(Duration usual) {
    return Duration.ofNanos((long) (usual.toNanos() * FACTOR)).plus(NOISE);
  }

  private Percentiles health() throws IOException {
    List<Long> took = new ArrayList<>();
    for (int i = 0; i < PROBES; i++) {
      long begun = System.nanoTime();
      try (RawClient client =
          new RawClient(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port), "127.0.0.9")) {
        assertThat(client.send("GET /health HTTP/1.1\nHost: a\n\n").read().status()).isEqualTo(200);
      }
      took.add(System.nanoTime() - begun);
    }
    return Percentiles.of(took);
  }

  @Test
  void connections_that_drip_hold_up_neither_intake_nor_deliveries_nor_health() throws Exception {
    List<String> callbacks = List.of(hosts.listen("127.0.2.1").url("one"));
    try (PreparedStore store = new PreparedStore(data)) {
      FollowedFeed feed = store.feed(origin.feed("feed.xml"));
      callbacks.forEach(callback -> store.subscribe(feed, callback));
    }
    try (GatewayProcess gateway =
            GatewayProcess.launchWith(
                List.of(HEAP), data, port, "--poll-min=12h", "--poll-max=24h", "--ping-quiet=0");
        Publications publications = new Publications(gateway, origin)) {
      gateway.awaitReady();
      delays(publications.publish("feed.xml", "warm-up", WARM_UP, PERIOD), callbacks);
      List<Publication> alone = publications.publish("feed.xml", "alone", EVENTS, PERIOD);
      Percentiles aloneDelays = delays(alone, callbacks);

      try (SlowConnections slow = new SlowConnections(port, CONNECTIONS)) {
        List<Publication> beside = publications.publish("feed.xml", "beside", EVENTS, PERIOD);
        Percentiles besideDelays = delays(beside, callbacks);
        Percentiles health = health();
        double open = gateway.meter("feedbridge_server_connections");
        double room = gateway.meter("feedbridge_server_requests_bytes");
        Footprint footprint = Footprint.of(gateway, data);

        print("deliveries, alone:  " + aloneDelays);
        print("deliveries, beside: " + besideDelays);
        print("intake, alone:      " + intake(alone));
        print("intake, beside:     " + intake(beside));
        print("health:             " + health);
        print("%s connections, %s bytes of requests".formatted(open, room));
        print("opened again: %d; %s".formatted(slow.reopened(), footprint));
        assertThat(open).isGreaterThan(CONNECTIONS * 0.9);
        assertThat(room).isBetween(1.0, (double) ROOM);
        assertThat(footprint.resident()).isLessThan(RESIDENT);
        assertThat(health.at(100)).isLessThan(PROMISED.plus(NOISE));
        assertThat(intake(beside).at(95)).isLessThan(allowed(intake(alone).at(95)));
        assertThat(besideDelays.at(95)).isLessThan(allowed(aloneDelays.at(95)));
      }
    }
  }
}
