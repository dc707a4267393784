package io.feedbridge.gateway.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.StreamClient;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Readers of the public stream that begin far back and read nothing, beside a live one. */
class StreamBacklogAttack {

  private static final int READERS = 150;
  private static final int EVENTS = 20;
  private static final int ENTRIES = 10;
  private static final int ENTRY_BYTES = 90_000;

  @Test
  @Timeout(300)
  void readers_that_do_not_read_delay_no_live_reader(@TempDir Path data) throws Exception {
    int port = FreePort.next();
    try (GatewayProcess gateway = GatewayProcess.start(data, port, "--public-stream");
        FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber();
        Bystander bystander = new Bystander(gateway);
        Unread attacker = new Unread(port)) {
      backlog(gateway, origin, subscriber);
      String feed = origin.rss("live.xml", "", "live-0");
      Bystander.subscribe(gateway, feed, subscriber.url("live"));
      try (StreamClient live = StreamClient.get(gateway.url("/stream?format=ndjson"))) {
        Duration before = slowest(gateway, origin, live, 1);
        Duration delivered = bystander.slowest();

        attacker.get(READERS, "/stream?after=0");
        Duration during = slowest(gateway, origin, live, 100);
        Duration deliveredDuring = bystander.slowest();

        System.out.printf(
            "stream: %s before, %s during; delivery %s, %s; %.0f let go%n",
            before,
            during,
            delivered,
            deliveredDuring,
            gateway.meter("feedbridge_stream_readers_let_go_total"));
        Bystander.assertHardlySlower(during, before);
        Bystander.assertHardlySlower(deliveredDuring, delivered);
        assertThat(live.ended()).isFalse();
        Bystander.assertNoMemoryRanOut(gateway);
      }
    }
  }

  private static void backlog(
      GatewayProcess gateway, FakeOrigin origin, FakeSubscriber subscriber) {
    String feed = origin.rss("backlog.xml", "", "first");
    Bystander.subscribe(gateway, feed, subscriber.url("backlog"));
    for (int event = 0; event < EVENTS; event++) {
      String name = "event-" + event;
      origin.rss("backlog.xml", Bystander.longItems(name, ENTRIES, ENTRY_BYTES));
      gateway.form("/hub", "hub.mode", "publish", "hub.url", feed);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  subscriber.bodies("backlog").stream()
                      .anyMatch(body -> body.contains(name + "-")));
    }
  }

  private static Duration slowest(
      GatewayProcess gateway, FakeOrigin origin, StreamClient live, int from) {
    Duration slowest = Duration.ZERO;
    for (int i = from; i < from + 15; i++) {
      String name = "live-" + i + "-";
      String feed = origin.rss("live.xml", "", name);
      long begin = System.nanoTime();
      assertThat(gateway.form("/hub", "hub.mode", "publish", "hub.url", feed).statusCode())
          .isEqualTo(204);
      await()
          .atMost(Duration.ofSeconds(90))
          .pollInterval(Duration.ofMillis(2))
          .until(() -> live.lines().stream().anyMatch(line -> line.contains(name)));
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      slowest = took.compareTo(slowest) > 0 ? took : slowest;
    }
    return slowest;
  }
}
