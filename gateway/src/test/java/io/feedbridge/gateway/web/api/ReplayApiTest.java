package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Webhooks that get events of the past again. */
@Timeout(300)
class ReplayApiTest {

  private static final String LIST = "/api/v1/webhooks";
  private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

  private World world;
  private String topic;
  private FakeEndpoint endpoint;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.on(data);
    topic = world.origin().rss("feed", "", "old");
    endpoint = new FakeEndpoint(world.subscriber(), "endpoint");
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private static JsonNode json(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    try {
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private String create(String more) {
    JsonNode made =
        json(
            world
                .gateway()
                .json(
                    "POST",
                    LIST,
                    "{\"url\":\"%s\",\"topics\":[\"%s\"]%s}"
                        .formatted(endpoint.url(), topic, more)),
            201);
    world.gateway().settle();
    return made.get("id").asText();
  }

  private void publish(String... items) {
    world.origin().rss("feed", "", items);
    world.publish(topic);
  }

  private HttpResponse<String> replay(String id, String body) {
    return world.gateway().json("POST", LIST + "/" + id + "/replay", body);
  }

  private JsonNode replaySince(String id, Instant since) {
    return json(replay(id, "{\"since\":\"%s\"}".formatted(since)), 202);
  }

  private List<String> sent() {
    return endpoint.messages().stream()
        .flatMap(message -> FakeEndpoint.entries(message).stream())
        .toList();
  }

  @Test
  void the_events_since_a_time_are_sent_again_before_later_ones() {
    String id = create(",\"verified\":true");
    publish("one", "old");
    endpoint.messages(1);
    publish("two", "one", "old");
    endpoint.messages(2);

    JsonNode answer = replaySince(id, LONG_AGO);
    World.until(() -> sent().size() == 4);
    publish("three", "two", "one", "old");
    World.until(() -> sent().size() == 5);

    assertThat(answer.get("id").asText()).isEqualTo(id);
    assertThat(answer.get("events").asLong()).isEqualTo(2);
    assertThat(sent().subList(0, 2)).containsExactly("one", "two");
    assertThat(sent().subList(2, 4)).containsExactlyInAnyOrder("one", "two");
    assertThat(sent().get(4)).isEqualTo("three");
  }

  @Test
  void of_a_time_after_all_events_nothing_is_sent_again() {
    String id = create(",\"verified\":true");
    publish("one", "old");
    endpoint.messages(1);

    assertThat(replaySince(id, Instant.now().plusSeconds(3_600)).get("events").asLong()).isZero();
    publish("two", "one", "old");
    World.until(() -> sent().size() == 2);

    assertThat(sent()).containsExactly("one", "two");
  }

  @Test
  void a_disabled_webhook_gets_them_when_it_is_enabled() {
    String id = create(",\"verified\":true");
    publish("one", "old");
    endpoint.messages(1);
    json(world.gateway().send("POST", LIST + "/" + id + "/disable"), 200);

    replaySince(id, LONG_AGO);
    assertThat(sent()).containsExactly("one");
    json(world.gateway().send("POST", LIST + "/" + id + "/enable"), 200);
    World.until(() -> sent().size() == 2);

    assertThat(sent()).containsExactly("one", "one");
  }

  @Test
  void a_wrong_request_changes_nothing_and_is_told_why() {
    String id = create(",\"verified\":true");

    assertThat(json(replay(id, "{}"), 400).get("errors").get(0).get("field").asText())
        .isEqualTo("since");
    json(replay(id, "{\"since\":\"yesterday\"}"), 400);
    json(replay("999999", "{\"since\":\"%s\"}".formatted(LONG_AGO)), 404);
    endpoint = new FakeEndpoint(world.subscriber(), "silent");
    endpoint.onChallenge(500, "");
    String pending = create("");
    json(replay(pending, "{\"since\":\"%s\"}".formatted(LONG_AGO)), 409);
    assertThat(endpoint.messages()).isEmpty();
  }
}
