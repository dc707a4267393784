package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway whose public URL is {@code http://localhost:…}, with the jar. */
class LoopbackNameIT {

  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path data;

  @Test
  void localhost_is_a_loopback_address_for_the_API_the_limits_and_bridged_feeds() {
    int port = FreePort.next();
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber();
        GatewayProcess gateway =
            GatewayProcess.start(
                data, port, "--public-url=http://localhost:" + port, "--limit-pings=1/d")) {
      String followed = origin.rss("feed.xml", "", "one");

      assertThat(gateway.get("/api/v1/feeds").statusCode()).as("the API").isEqualTo(200);
      await()
          .atMost(LONG)
          .until(
              () -> gateway.get("/feed.atom?" + Http.encode("url", followed)).statusCode() == 200);
      for (int i = 0; i < 3; i++) {
        assertThat(gateway.form("/ping", "url", followed).statusCode()).as("limits").isEqualTo(200);
      }

      // The feed is known by the bridged URL under the public name.
      String bridged = "http://localhost:" + port + "/feed.rss?" + Http.encode("url", followed);
      assertThat(
              gateway
                  .form(
                      "/hub",
                      "hub.mode",
                      "subscribe",
                      "hub.topic",
                      bridged,
                      "hub.callback",
                      subscriber.url("reader"))
                  .statusCode())
          .isEqualTo(202);
      await().atMost(LONG).until(() -> gateway.meter("feedbridge_subscriptions_websub") == 1);
      origin.rss("feed.xml", "", "two", "one");
      gateway.form("/hub", "hub.mode", "publish", "hub.url", bridged);
      await().atMost(LONG).until(() -> !subscriber.received("reader").isEmpty());
      assertThat(subscriber.bodies("reader").get(0)).contains(bridged.replace("&", "&amp;"));
    }
  }
}
