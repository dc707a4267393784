package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.GatewayProcess.Exit;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar with its store in PostgreSQL. */
class PostgresIT {

  private static final Duration LONG = Duration.ofSeconds(60);

  private final TestServer server = TestServer.durable();
  private final String store = "--store=" + server.empty();
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  @TempDir Path folder;

  @AfterEach
  void end() {
    subscriber.close();
    origin.close();
    server.close();
  }

  private GatewayProcess start(String data) {
    return GatewayProcess.start(
        folder.resolve(data), FreePort.next(), store, "--poll-min=12h", "--poll-max=24h");
  }

  private static int ping(GatewayProcess gateway, String topic) {
    return gateway.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode();
  }

  private boolean has(String entry) {
    return subscriber.bodies("s").stream().anyMatch(body -> body.contains(">" + entry + "<"));
  }

  @Test
  void acknowledged_pings_and_subscriptions_outlive_kills_and_ended_sessions() {
    String topic = origin.rss("feed.xml", "", "old");
    try (GatewayProcess gateway = start("data")) {
      gateway.form(
          "/hub", "hub.mode", "subscribe", "hub.topic", topic, "hub.callback", subscriber.url("s"));
      await().atMost(LONG).until(() -> gateway.meter("feedbridge_subscriptions_websub") == 1);
      subscriber.answer("s", 500);
      origin.rss("feed.xml", "", "first", "old");
      assertThat(ping(gateway, topic)).isEqualTo(204);
      gateway.kill9();
    }
    subscriber.answer("s", 200);
    try (GatewayProcess gateway = start("data")) {
      await().atMost(LONG).until(() -> has("first"));

      try (GatewayProcess second =
          GatewayProcess.launch(folder.resolve("second"), FreePort.next(), store)) {
        Exit exit = second.exit();
        assertThat(exit.code()).isEqualTo(1);
        assertThat(exit.errors())
            .contains("another gateway writes to this database")
            .doesNotContain("\tat ");
      }

      server.endSessions();
      origin.rss("feed.xml", "", "second", "first", "old");
      await().atMost(LONG).until(() -> ping(gateway, topic) == 204);
      await().atMost(LONG).until(() -> has("second"));
      await().atMost(LONG).until(gateway::healthy);
      assertThat(gateway.terminate().code()).isZero();
    }
  }
}
