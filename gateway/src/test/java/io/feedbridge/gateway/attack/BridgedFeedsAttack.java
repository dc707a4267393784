package io.feedbridge.gateway.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Feeds of 15 MB in each format, asked for by a caller that reads nothing, and a hanging explain.
 */
class BridgedFeedsAttack {

  private static final int FEEDS = 8;
  private static final int ENTRIES = 150;
  private static final int ENTRY_BYTES = 100_000;
  private static final int GROWTH_MEBI = 250;

  @Test
  @Timeout(400)
  void long_bridged_feeds_and_hanging_explains_hold_up_no_other_reader(@TempDir Path data)
      throws Exception {
    int port = FreePort.next();
    try (GatewayProcess gateway = GatewayProcess.start(data, port, "--bridge=open");
        FakeOrigin origin = new FakeOrigin();
        Bystander bystander = new Bystander(gateway);
        Unread attacker = new Unread(port)) {
      List<String> feeds = IntStream.range(0, FEEDS).mapToObj(i -> longFeed(origin, i)).toList();
      feeds.forEach(feed -> follow(gateway, feed));
      CompletableFuture<Void> never = new CompletableFuture<>();
      String hanging = origin.rss("hanging.xml", "", "one");
      origin.holdBack("hanging.xml", never);
      Duration before = bystander.slowest();
      Duration readBefore = slowestRead(gateway, bystander.topic());
      long resident = Bystander.residentMebi(gateway);

      attacker.get(4, "/api/v1/explain?" + Http.encode("url", hanging));
      for (String format : List.of("atom", "rss", "json")) {
        for (String feed : feeds) {
          attacker.get(2, "/feed." + format + "?" + Http.encode("url", feed));
        }
      }
      Duration readDuring = slowestRead(gateway, bystander.topic());
      Duration during = bystander.slowest();

      System.out.printf(
          "bridged feeds: delivery %s before, %s during; read %s before, %s during; %d MiB more%n",
          before, during, readBefore, readDuring, Bystander.residentMebi(gateway) - resident);
      never.complete(null);
      Bystander.assertHardlySlower(readDuring, readBefore);
      Bystander.assertHardlySlower(during, before);
      assertThat(Bystander.residentMebi(gateway) - resident).isLessThan(GROWTH_MEBI);
      Bystander.assertNoMemoryRanOut(gateway);
    }
  }

  /** A bridged feed that is made anew for most readings, and the operator's API beside it. */
  private static Duration slowestRead(GatewayProcess gateway, String feed) {
    Duration slowest = Duration.ZERO;
    for (int i = 0; i < 20; i++) {
      long begin = System.nanoTime();
      String query = Http.encode("url", feed);
      assertThat(gateway.get("/feed.rss?" + query).statusCode()).isEqualTo(200);
      assertThat(gateway.get("/api/v1/feeds").statusCode()).isEqualTo(200);
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      slowest = took.compareTo(slowest) > 0 ? took : slowest;
      pause();
    }
    return slowest;
  }

  private static void pause() {
    await().pollDelay(Duration.ofMillis(250)).until(() -> true);
  }

  private static String longFeed(FakeOrigin origin, int number) {
    String items = Bystander.longItems("feed-" + number, ENTRIES, ENTRY_BYTES);
    return origin.rss("long-" + number + ".xml", items);
  }

  private static void follow(GatewayProcess gateway, String feed) {
    String query = "/feed.json?" + Http.encode("url", feed);
    await().atMost(Duration.ofSeconds(60)).until(() -> gateway.get(query).statusCode() == 200);
  }
}
