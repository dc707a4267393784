package io.feedbridge.gateway.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A stranger names the operator's API as a topic, under many names, and as a callback. */
class OwnAddressAttack {

  @Test
  @Timeout(300)
  void the_operators_answers_reach_no_stranger_and_nothing_is_imported(@TempDir Path data)
      throws Exception {
    int port = FreePort.next();
    String api = "/api/v1/subscriptions";
    try (GatewayProcess gateway = GatewayProcess.start(data, port);
        FakeOrigin origin = new FakeOrigin();
        FakeSubscriber stranger = new FakeSubscriber();
        Bystander bystander = new Bystander(gateway)) {
      Duration before = bystander.slowest();
      String[] topics = {
        "http://127.0.0.1:" + port + api,
        "http://localhost:" + port + api,
        "http://localhost.:" + port + api,
        "http://127.0.0.7:" + port + api,
        "http://0.0.0.0:" + port + api,
        "http://[::1]:" + port + api,
        origin.redirect("away", 302, "http://127.0.0.1:" + port + api),
      };
      for (int i = 0; i < topics.length; i++) {
        subscribe(gateway, topics[i], stranger.url("stranger-" + i));
        gateway.form("/hub", "hub.mode", "publish", "hub.url", topics[i]);
      }
      subscribe(gateway, bystander.topic(), "http://127.0.0.1:" + port + "/api/v1/import");
      subscribe(gateway, bystander.topic(), "http://localhost:" + port + "/api/v1/import");

      Bystander.assertHardlySlower(bystander.slowest(), before);

      for (int i = 0; i < topics.length; i++) {
        assertThat(stranger.bodies("stranger-" + i)).noneMatch(body -> body.contains("items"));
      }
      assertThat(gateway.get(api).body()).doesNotContain("/api/v1/import");
      assertThat(gateway.get("/api/v1/explain?url=" + topics[0]).body())
          .contains("is this gateway itself");
    }
  }

  private static void subscribe(GatewayProcess gateway, String topic, String callback) {
    gateway.form(
        "/hub",
        "hub.mode",
        "subscribe",
        "hub.topic",
        topic,
        "hub.callback",
        callback,
        "hub.format",
        "raw");
  }
}
