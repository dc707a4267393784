package io.feedbridge.gateway.web.api.subscribers;

import static io.feedbridge.gateway.testing.FakeEndpoint.header;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deliveries that are selected, and sent once more, as operators do it. */
class DeliveriesApiTest {

  private static final String SUBSCRIPTIONS = "/api/v1/subscriptions";
  private static final String WEBHOOKS = "/api/v1/webhooks";

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

  private static JsonNode json(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    try {
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private JsonNode get(String path) {
    return json(world.gateway().get(path), 200);
  }

  private JsonNode post(String path, int status) {
    return json(world.gateway().send("POST", path), status);
  }

  private void changed(String... items) {
    world.origin().rss("feed.xml", "", items);
    world.publish(topic);
  }

  /** The path of the deliveries of the one subscription. */
  private String deliveries() {
    return SUBSCRIPTIONS + "/" + get(SUBSCRIPTIONS).at("/items/0/id").asText() + "/deliveries";
  }

  /** The path of the newest delivery, once it has ended so. */
  private String ended(String deliveries, String outcome) {
    World.until(() -> get(deliveries).at("/items/0/outcome").asText().equals(outcome));
    return deliveries + "/" + get(deliveries).at("/items/0/id").asText();
  }

  private FakeEndpoint webhook(String more) {
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "hook");
    json(
        world
            .gateway()
            .json(
                "POST",
                WEBHOOKS,
                "{\"url\":\"%s\",\"topics\":[\"%s\"]%s}".formatted(endpoint.url(), topic, more)),
        201);
    World.until(() -> get(WEBHOOKS).at("/items/0/state").asText().equals("active"));
    // The first document of the feed is its baseline, and brings no event.
    world.gateway().settle();
    return endpoint;
  }

  @Test
  void a_failed_event_of_a_subscription_is_sent_once_more_and_stays_due() {
    world.subscribe(topic, "one", "format", "json", "hub.secret", "s3cret");
    world.subscriber().answer("one", 503);
    changed("two", "one");
    String failed = ended(deliveries(), "refused");
    world.subscriber().answer("one", 202);

    JsonNode resent = post(failed + "/resend", 200);

    List<Request> received = world.subscriber().received("one");
    assertThat(received).hasSize(2);
    assertThat(received.get(1).body()).isEqualTo(received.get(0).body());
    assertThat(received.get(1).header("X-Hub-Signature"))
        .isEqualTo(received.get(0).header("X-Hub-Signature"));
    assertThat(resent.at("/delivery/kind").asText()).isEqualTo("resent");
    assertThat(resent.at("/delivery/outcome").asText()).isEqualTo("delivered");
    assertThat(resent.at("/delivery/eventId")).isEqualTo(get(failed).at("/delivery/eventId"));
    assertThat(resent.at("/exchange/answer/status").asInt()).isEqualTo(202);
    assertThat(get(SUBSCRIPTIONS).at("/items/0/behind/attempts").asInt()).isEqualTo(1);
  }

  @Test
  void an_answer_of_410_to_it_ends_nothing() {
    world.subscribe(topic, "one");
    changed("two", "one");
    String delivered = ended(deliveries(), "delivered");
    world.subscriber().answer("one", 410);

    assertThat(post(delivered + "/resend", 200).at("/delivery/outcome").asText()).isEqualTo("gone");

    assertThat(get(SUBSCRIPTIONS).get("items")).hasSize(1);
    String event = get(delivered).at("/delivery/eventId").asText();
    assertThat(get("/api/v1/events/" + event + "/deliveries").at("/items/0/outcome").asText())
        .isEqualTo("delivered");
  }

  @Test
  void an_rssCloud_subscriber_is_told_once_more_that_the_feed_has_changed() {
    world.register(topic, "cloud");
    changed("two", "one");
    String delivered = ended(deliveries(), "delivered");

    post(delivered + "/resend", 200);

    List<Request> received = world.subscriber().received("cloud");
    assertThat(received).hasSize(2);
    assertThat(new String(received.get(1).body(), StandardCharsets.UTF_8))
        .isEqualTo(new String(received.get(0).body(), StandardCharsets.UTF_8))
        .startsWith("url=");
  }

  @Test
  void a_webhook_gets_the_event_under_the_id_that_it_had() {
    FakeEndpoint endpoint = webhook("");
    endpoint.onMessage(503);
    changed("two", "one");
    String failed = ended(WEBHOOKS + "/1/deliveries", "refused");

    JsonNode resent = post(failed + "/resend", 200);

    List<Request> messages = endpoint.messages(2);
    assertThat(header(messages.get(1), "webhook-id"))
        .isEqualTo(header(messages.get(0), "webhook-id"));
    assertThat(messages.get(1).body()).isEqualTo(messages.get(0).body());
    assertThat(resent.at("/delivery/outcome").asText()).isEqualTo("refused");
    assertThat(resent.at("/delivery/attempt").asInt()).isEqualTo(1);
    assertThat(get(WEBHOOKS + "/1").at("/behind/attempts").asInt()).isEqualTo(1);
    String subscribed = failed.replace(WEBHOOKS + "/1", SUBSCRIPTIONS + "/webhook-1");
    assertThat(post(subscribed + "/resend", 200).at("/delivery/kind").asText()).isEqualTo("resent");
  }

  @Test
  void a_page_of_the_console_sends_it_and_shows_the_new_delivery() {
    world.subscribe(topic, "one");
    world.subscriber().answer("one", 500);
    changed("two", "one");
    String page = ended(deliveries(), "refused").replace("/api/v1", "");
    assertThat(world.gateway().get(page).body()).contains("Send again");

    String token =
        Jsoup.parse(world.gateway().get(page).body())
            .selectXpath("//input[@name='form_token']")
            .attr("value");
    HttpResponse<String> answer = world.gateway().form(page + "/resend", "form_token", token);

    assertThat(answer.statusCode()).isEqualTo(303);
    String next = answer.headers().firstValue("Location").orElseThrow();
    assertThat(world.gateway().get(next).body()).contains("resent", "500");
  }

  @Test
  void without_an_event_or_a_subscriber_there_is_nothing_to_send() {
    FakeEndpoint endpoint = webhook(",\"filter\":\"keyword:two\"");
    String verification = ended(WEBHOOKS + "/1/deliveries", "delivered");
    assertThat(post(verification + "/resend", 409).get("detail").asText()).contains("no event");
    assertThat(post(WEBHOOKS + "/1/deliveries/999/resend", 404).get("detail").asText())
        .contains("no such delivery");

    changed("two", "one");
    endpoint.messages(1);
    String delivered = ended(WEBHOOKS + "/1/deliveries", "delivered");
    world.gateway().json("PATCH", WEBHOOKS + "/1", "{\"filter\":\"keyword:three\"}");
    assertThat(post(delivered + "/resend", 409).get("detail").asText()).contains("filter");
    world.gateway().send("DELETE", WEBHOOKS + "/1");
    assertThat(post(delivered + "/resend", 409).get("detail").asText()).contains("has ended");
    assertThat(endpoint.messages(1)).hasSize(1);
  }

  @Test
  void the_list_is_selected_by_outcome_and_event() {
    world.subscribe(topic, "one");
    changed("two", "one");
    String first = get(ended(deliveries(), "delivered")).at("/delivery/eventId").asText();
    world.subscriber().answer("one", 500);
    changed("three", "two", "one");
    ended(deliveries(), "refused");

    assertThat(get(deliveries()).get("items")).hasSize(2);
    assertThat(get(deliveries() + "?outcome=failed").findValuesAsText("outcome"))
        .containsExactly("refused");
    assertThat(get(deliveries() + "?outcome=delivered").findValuesAsText("eventId"))
        .containsExactly(first);
    assertThat(get(deliveries() + "?event=" + first).findValuesAsText("outcome"))
        .containsExactly("delivered");
    assertThat(get(deliveries() + "?outcome=timeout").get("items")).isEmpty();
    assertThat(json(world.gateway().get(deliveries() + "?event=x"), 400).at("/errors/0/field"))
        .hasToString("\"event\"");
  }
}
