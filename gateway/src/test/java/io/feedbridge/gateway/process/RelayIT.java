package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pings that are passed on, with the jar: through a circle of three, and through a kill. */
class RelayIT {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String SENT = "feedbridge_relay_sent_total";

  @TempDir Path folder;

  private GatewayProcess start(int port, String rule) {
    return GatewayProcess.start(
        folder.resolve("data" + port), port, "--poll-min=12h", "--poll-max=24h", "--relay=" + rule);
  }

  private static void follow(GatewayProcess gateway, FakeSubscriber reader, String topic) {
    gateway.form(
        "/hub", "hub.mode", "subscribe", "hub.topic", topic, "hub.callback", reader.url("reader"));
    await()
        .atMost(LONG)
        .until(() -> gateway.get("/api/v1/feeds").body().contains("\"state\":\"active\""));
  }

  private static void ping(GatewayProcess gateway, String topic) {
    assertThat(gateway.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode())
        .isEqualTo(204);
  }

  @Test
  void a_page_that_changes_at_each_fetch_goes_round_three_gateways_once() {
    AtomicInteger versions = new AtomicInteger();
    List<Integer> ports = IntStream.range(0, 3).mapToObj(i -> FreePort.next()).toList();
    List<GatewayProcess> ring = new ArrayList<>();
    try (FakeSubscriber reader = new FakeSubscriber()) {
      reader.onQuestion(
          "page",
          request ->
              CompletableFuture.completedFuture(
                  Response.text(200, "version " + versions.incrementAndGet())));
      String page = reader.url("page");
      for (int i = 0; i < 3; i++) {
        String next = "*=hub:http://127.0.0.1:%d/hub".formatted(ports.get((i + 1) % 3));
        ring.add(start(ports.get(i), next));
      }
      ring.forEach(gateway -> follow(gateway, reader, page));
      int before = versions.get();

      ping(ring.get(0), page);

      // The last gateway knows from the way of the ping that the first has had it.
      await()
          .atMost(LONG)
          .until(
              () ->
                  ring.get(2).get("/api/v1/events").body().contains("\"id\"")
                      && ring.get(0).meter(SENT) == 1
                      && ring.get(1).meter(SENT) == 1);
      assertThat(ring.get(2).meter(SENT)).isZero();
      assertThat(versions.get()).isEqualTo(before + 3);
    } finally {
      ring.forEach(GatewayProcess::close);
    }
  }

  @Test
  void a_ping_that_was_not_taken_is_sent_after_a_kill() {
    int port = FreePort.next();
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber targets = new FakeSubscriber()) {
      targets.answer("hub", 503);
      String topic = origin.rss("feed.xml", "", "one");
      String rule = "*=hub:" + targets.url("hub");
      try (GatewayProcess gateway = start(port, rule)) {
        follow(gateway, targets, topic);
        origin.rss("feed.xml", "", "two", "one");
        ping(gateway, topic);
        await().atMost(LONG).until(() -> !targets.received("hub").isEmpty());
        gateway.kill9();
      }
      int before = targets.received("hub").size();
      targets.answer("hub", 204);
      try (GatewayProcess gateway = start(port, rule)) {
        await().atMost(LONG).until(() -> gateway.meter(SENT) == 1);
        assertThat(targets.received("hub")).hasSize(before + 1);
      }
    }
  }
}
