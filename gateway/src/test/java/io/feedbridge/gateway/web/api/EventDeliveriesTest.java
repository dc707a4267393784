package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One event of the log, and where each subscriber stands with it. */
class EventDeliveriesTest {

  private World world;
  private String topic;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.on(data);
    topic = world.origin().rss("feed.xml", "", "one");
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private JsonNode get(String path, int status) {
    HttpResponse<String> answer = world.gateway().get("/api/v1/events" + path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    try {
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  /** The id of the newest event. */
  private String published(String... items) {
    world.origin().rss("feed.xml", "", items);
    world.publish(topic);
    JsonNode all = get("", 200).get("items");
    return all.get(all.size() - 1).get("id").asText();
  }

  private void webhook(String name, String topics, String filter) {
    webhook(name, topics, filter, "");
  }

  private void webhook(String name, String topics, String filter, String more) {
    String body =
        "{\"url\":\"%s\",\"topics\":[\"%s\"],\"filter\":%s,\"verified\":true%s}"
            .formatted(new FakeEndpoint(world.subscriber(), name).url(), topics, filter, more);
    HttpResponse<String> answer =
        world
            .gateway()
            .post("/api/v1/webhooks", "application/json", body.getBytes(StandardCharsets.UTF_8));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
  }

  private void pendingWebhook(String url) {
    String body = "{\"url\":\"%s\",\"topics\":[\"*\"]}".formatted(url);
    HttpResponse<String> answer =
        world
            .gateway()
            .post("/api/v1/webhooks", "application/json", body.getBytes(StandardCharsets.UTF_8));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
  }

  private List<String> outcomes(String event) {
    return get("/" + event + "/deliveries?limit=100", 200)
        .get("items")
        .valueStream()
        .map(item -> item.get("outcome").asText())
        .toList();
  }

  @Test
  void each_subscriber_of_an_event_has_an_outcome_with_its_reason() {
    world.subscribe(topic, "fine");
    world.subscribe(topic, "broken");
    world.subscriber().answer("broken", 503);
    webhook("all", "*", "null");
    webhook("picky", topic, "\"keyword:mars\"");
    webhook("other", world.origin().rss("other.xml", "", "one"), "null");

    String event = published("two", "one");
    world.subscribe(topic, "late");

    World.until(
        () ->
            outcomes(event)
                .equals(List.of("delivered", "failed", "too_early", "delivered", "filtered")));
    JsonNode items = get("/" + event + "/deliveries", 200).get("items");
    assertThat(items.at("/0/deliveredAt").asText()).contains("T");
    assertThat(items.at("/0/delivery/eventId").asText()).isEqualTo(event);
    assertThat(items.at("/0/delivery/status").asInt()).isEqualTo(204);
    assertThat(items.at("/1/reason").asText()).contains("503");
    assertThat(items.at("/1/attempts").asInt()).isEqualTo(1);
    assertThat(items.at("/1/nextAttemptAt").asText()).contains("T");
    assertThat(items.at("/1/delivery/status").asInt()).isEqualTo(503);
    assertThat(items.at("/2/delivery").isNull() || items.at("/2/delivery").isMissingNode())
        .isTrue();
    assertThat(items.at("/3/subscriptionId").asText()).startsWith("webhook-");
  }

  @Test
  void wishes_explain_why_an_event_did_not_reach_a_subscriber() {
    world
        .gateway()
        .form(
            "/hub",
            "hub.mode",
            "subscribe",
            "hub.topic",
            topic,
            "hub.callback",
            world.subscriber().url("removals"),
            "only",
            "removed");
    world.awaitSubscription("removals");
    String other = world.origin().rss("other.xml", "", "one");
    webhook("removed", topic, "null", ",\"only\":\"removed\"");
    webhook("deduped", "*", "null", ",\"dedupe\":true");
    world.subscribe(other, "other");
    world.awaitSubscription("other");

    String first = published("two", "one");
    World.until(() -> outcomes(first).equals(List.of("passed", "passed", "delivered")));
    world.origin().rss("other.xml", "", "two", "one");
    world.publish(other);
    JsonNode all = get("", 200).get("items");
    String second = all.get(all.size() - 1).get("id").asText();

    World.until(() -> outcomes(second).equals(List.of("delivered", "filtered")));
  }

  @Test
  void an_event_before_the_verification_of_a_webhook_is_too_early_for_it() {
    world.subscribe(topic, "reader");
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "unverified");
    endpoint.onChallenge(500, "");
    pendingWebhook(endpoint.url());
    String before = published("two", "one");
    World.until(() -> outcomes(before).equals(List.of("delivered", "too_early")));
    assertThat(get("/" + before + "/deliveries", 200).at("/items/1/reason").asText())
        .contains("verified");

    assertThat(
            world.gateway().json("PATCH", "/api/v1/webhooks/1", "{\"verified\":true}").statusCode())
        .isEqualTo(200);
    String after = published("three", "two", "one");

    World.until(() -> outcomes(after).equals(List.of("delivered", "delivered")));
    assertThat(outcomes(before)).containsExactly("delivered", "too_early");
  }

  @Test
  void an_event_without_entries_passes_a_subscriber_of_entries_and_not_one_of_bytes() {
    world.subscribe(topic, "entries");
    world.subscribe(topic, "bytes", "format", "raw");
    webhook("all", topic, "null");
    world.origin().rss("feed.xml", "<copyright>since 1999</copyright>", "one");
    world.publish(topic);
    String event = get("", 200).at("/items/0/id").asText();

    World.until(() -> outcomes(event).equals(List.of("passed", "delivered", "passed")));
  }

  @Test
  void the_list_is_read_in_parts_of_which_each_subscriber_is_in_one() {
    world.subscribe(topic, "one");
    world.subscribe(topic, "two");
    webhook("first", "*", "null");
    webhook("second", topic, "null");
    String event = published("two", "one");

    StringBuilder seen = new StringBuilder();
    String query = "?limit=1";
    for (int parts = 0; parts < 4; parts++) {
      JsonNode part = get("/" + event + "/deliveries" + query, 200);
      assertThat(part.get("items")).hasSize(1);
      seen.append(part.at("/items/0/callback").asText().replaceAll(".*/", "")).append(' ');
      query = "?limit=1&cursor=" + part.path("nextCursor").asText();
    }
    assertThat(seen).hasToString("one two first second ");
    assertThat(query).matches("\\?limit=1&cursor=(null)?");
  }

  @Test
  void an_event_is_shown_alone_and_one_that_the_log_does_not_have_is_404() {
    world.subscribe(topic, "one");
    String event = published("two", "one");

    assertThat(get("/" + event, 200).at("/entries/0/id").asText()).isEqualTo("two");
    assertThat(get("/" + event, 200).get("via").asText()).isEqualTo("publish");
    for (String id : List.of("0", "987654321", "x", "-1")) {
      assertThat(get("/" + id, 404).get("status").asInt()).isEqualTo(404);
      assertThat(get("/" + id + "/deliveries", 404).get("status").asInt()).isEqualTo(404);
    }
    assertThat(get("/" + event + "/deliveries?cursor=x", 400).get("status").asInt()).isEqualTo(400);
  }
}
