package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the record of attempts says after a kill. */
class AttemptsIT {

  private static final String SUBSCRIPTIONS = "/api/v1/subscriptions";

  @TempDir Path data;

  @Test
  void a_delivery_that_a_kill_cut_off_is_shown_as_such() {
    int port = FreePort.next();
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber()) {
      String feed = origin.rss("feed.xml", "", "one");
      String id;
      try (GatewayProcess gateway = GatewayProcess.start(data, port)) {
        gateway.form(
            "/hub",
            "hub.mode",
            "subscribe",
            "hub.topic",
            feed,
            "hub.callback",
            subscriber.url("sink"));
        await().until(() -> gateway.meter("feedbridge_subscriptions_websub") == 1);
        id = json(gateway, SUBSCRIPTIONS).get("items").get(0).get("id").asText();
        origin.rss("feed.xml", "", "two", "one");
        gateway.form("/ping", "url", feed);
        await().until(() -> outcomes(gateway, id).equals(List.of("delivered")));

        subscriber.answer("sink", request -> new CompletableFuture<>());
        origin.rss("feed.xml", "", "three", "two", "one");
        gateway.form("/ping", "url", feed);
        await().until(() -> subscriber.received("sink").size() == 2);
        gateway.kill9();
      }

      subscriber.answer("sink", 204);
      try (GatewayProcess gateway = GatewayProcess.start(data, port)) {
        await()
            .untilAsserted(
                () ->
                    assertThat(outcomes(gateway, id))
                        .containsExactly("delivered", "cut_off", "delivered"));
      }
    }
  }

  private static List<String> outcomes(GatewayProcess gateway, String id) {
    List<String> outcomes = new ArrayList<>();
    json(gateway, SUBSCRIPTIONS + "/" + id + "/deliveries")
        .get("items")
        .forEach(item -> outcomes.add(item.get("outcome").asText()));
    return outcomes;
  }

  private static JsonNode json(GatewayProcess gateway, String path) {
    try {
      return new ObjectMapper().readTree(gateway.get(path).body());
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }
}
