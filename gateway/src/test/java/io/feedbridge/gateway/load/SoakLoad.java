package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Mixed load with faults for half an hour: nothing leaks, and nothing that was acknowledged is
 * lost. Not part of a usual build: {@code mvn -Drun=SoakLoad verify}.
 */
@Tag("alone")
class SoakLoad {

  private static final int MINUTES = Integer.getInteger("soak.minutes", 30);

  /** Part of the time after which everything has happened that is kept once and for all. */
  private static final int WARM_UP = Math.max(1, MINUTES / 6);

  private static final List<String> JVM =
      List.of(
          "-XX:TieredStopAtLevel=4",
          "-XX:NativeMemoryTracking=summary",
          "-Dio.netty.leakDetection.level=paranoid");

  private static final String[] OPTIONS = {"--poll-min=60s", "--poll-max=2m"};

  /** How long it may take until nobody is behind. */
  private static final Duration CAUGHT_UP_WITHIN = Duration.ofMinutes(3);

  /** Longer than an unused connection is kept. */
  private static final Duration IDLE = Duration.ofSeconds(60);

  /** Connections that the polls hold, which go on. */
  private static final int POLL_CONNECTIONS = 8;

  private static final double GROWTH = 1.2;
  private static final long HEAP_NOISE = 16L << 20;
  private static final long NATIVE_NOISE = 16L << 20;
  private static final int THREAD_NOISE = 4;
  private static final int DESCRIPTOR_NOISE = 16;

  /** SQLite begins to reuse its log at 4 MiB, as soon as no reader needs it. */
  private static final long MOST_WAL = 64L << 20;

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path data;
  private int minute;
  private long mostWal;

  private static void print(String line) {
    System.out.println("[soak] " + line);
  }

  @Test
  void nothing_leaks_and_nothing_is_lost() throws Exception {
    int port = FreePort.next();
    try (SoakWorld world = new SoakWorld();
        GatewayProcess gateway = GatewayProcess.launchWith(JVM, data, port, OPTIONS)) {
      gateway.awaitReady();
      world.subscribe(gateway);
      print(world.feeds.size() + " feeds, " + world.subscribers() + " subscriptions");
      print("min  published  taken  refused  laggards  delay              footprint");
      try (SoakTraffic traffic = new SoakTraffic(gateway, world)) {
        run(Duration.ofMinutes(WARM_UP), gateway, world, traffic);
        quieten(gateway, traffic);
        Footprint first = Footprint.afterCollection(gateway, data);
        print("after the warm-up: " + first);

        run(Duration.ofMinutes(Math.max(1, MINUTES - WARM_UP)), gateway, world, traffic);
        traffic.allGo();
        quieten(gateway, traffic);
        Footprint last = Footprint.afterCollection(gateway, data);
        // A leak is reported by the next one who allocates.
        String leaks = lines(gateway, "LEAK");
        String errors = lines(gateway, " ERROR ");

        print("after the warm-up: " + first);
        print("at the end:        " + last);
        print(summary(world, traffic));
        assertThat(leaks).as("leaked buffers").isEmpty();
        assertThat(errors).as("errors in the log").isEmpty();
        assertNothingLost(world, traffic);
        assertNoGrowth(first, last);
      }
      assertThat(gateway.terminate().code()).isZero();
    }
  }

  private void run(
      Duration duration, GatewayProcess gateway, SoakWorld world, SoakTraffic traffic) {
    long end = System.nanoTime() + duration.toNanos();
    traffic.go();
    while (System.nanoTime() < end) {
      long next = System.nanoTime() + Duration.ofMinutes(1).toNanos();
      await()
          .atMost(Duration.ofMinutes(2))
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> System.nanoTime() >= next);
      report(gateway, world, traffic);
    }
    traffic.pause();
  }

  private void report(GatewayProcess gateway, SoakWorld world, SoakTraffic traffic) {
    try {
      Footprint now = Footprint.of(gateway, data);
      mostWal = Math.max(mostWal, now.wal());
      print(
          String.format(
              Locale.ROOT,
              "%3d  %,9d  %,5d  %,7d  %,8.0f  %s  %s",
              ++minute,
              traffic.published(),
              world.judge.taken(),
              world.judge.refused(),
              gateway.meter("feedbridge_laggards"),
              world.judge.delays(),
              now));
    } catch (IOException e) {
      throw new AssertionError("the gateway cannot be looked at:\n" + gateway.errors(), e);
    }
  }

  /** Waits until the gateway has nothing left to do and has let go of what it does not use. */
  private static void quieten(GatewayProcess gateway, SoakTraffic traffic) {
    await().atMost(Duration.ofMinutes(1)).until(traffic::isQuiet);
    long start = System.nanoTime();
    try {
      await()
          .atMost(CAUGHT_UP_WITHIN)
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> {
                retryAll(gateway);
                return gateway.meter("feedbridge_laggards") == 0;
              });
      await()
          .atMost(IDLE)
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> gateway.meter("feedbridge_client_connections") <= POLL_CONNECTIONS);
    } catch (ConditionTimeoutException busy) {
      print(
          "not quiet yet: %.0f laggards, %.0f connections"
              .formatted(
                  gateway.meter("feedbridge_laggards"),
                  gateway.meter("feedbridge_client_connections")));
    }
    print("quiet after " + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s");
  }

  /** What an operator can do, so that nobody's back-off has to be waited for. */
  private static void retryAll(GatewayProcess gateway) throws IOException {
    String lagging = gateway.get("/api/v1/subscriptions?state=lagging&limit=500").body();
    for (JsonNode one : JSON.readTree(lagging).path("items")) {
      var unused = gateway.form("/api/v1/subscriptions/" + one.path("id").asText() + "/retry");
    }
  }

  private static String lines(GatewayProcess gateway, String text) throws IOException {
    try (Stream<String> lines = Files.lines(gateway.log(), StandardCharsets.UTF_8)) {
      return String.join("\n", lines.filter(line -> line.contains(text)).limit(20).toList());
    }
  }

  private String summary(SoakWorld world, SoakTraffic traffic) {
    return String.format(
        Locale.ROOT,
        "%,d published, %d not acknowledged; %,d deliveries taken, %,d refused; %,d subscriptions"
            + " came and went; %d faults; missing at %d, lost by who left %d, doubled %d,"
            + " disordered %d, crossed %d; WAL at most %.1f MiB",
        traffic.published(),
        traffic.refused(),
        world.judge.taken(),
        world.judge.refused(),
        traffic.came(),
        traffic.faults(),
        world.missing().size(),
        traffic.lost(),
        world.judge.doubled(),
        world.judge.disordered(),
        world.judge.crossed(),
        Footprint.mebi(mostWal));
  }

  private static void assertNothingLost(SoakWorld world, SoakTraffic traffic) {
    assertThat(traffic.published()).as("published").isPositive();
    assertThat(traffic.refused()).as("publishes that were not acknowledged").isZero();
    assertThat(traffic.broken()).as("requests that got no answer").isZero();
    assertThat(world.missing()).as("subscribers that miss something").isEmpty();
    assertThat(traffic.lost()).as("entries lost by those who left").isZero();
    assertThat(world.judge.disordered()).as("entries out of order").isZero();
    assertThat(world.judge.crossed()).as("entries of other feeds").isZero();
  }

  private void assertNoGrowth(Footprint first, Footprint last) {
    assertThat(last.heap()).as("heap").isLessThan(most(first.heap(), HEAP_NOISE));
    assertThat(last.buffers()).as("direct").isLessThan(most(first.buffers(), NATIVE_NOISE));
    assertThat(last.mapped()).as("mapped").isLessThan(most(first.mapped(), NATIVE_NOISE));
    assertThat(last.unsafe()).as("native").isLessThan(most(first.unsafe(), NATIVE_NOISE));
    assertThat(last.threads()).as("threads").isLessThanOrEqualTo(first.threads() + THREAD_NOISE);
    assertThat(last.descriptors())
        .as("descriptors")
        .isLessThanOrEqualTo(first.descriptors() + DESCRIPTOR_NOISE);
    assertThat(mostWal).as("the write-ahead log").isLessThan(MOST_WAL);
  }

  private static long most(long first, long noise) {
    return (long) (first * GROWTH) + noise;
  }
}
