package io.feedbridge.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a page, as each kind of subscriber gets them. */
class SelectionsTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private World world;
  private String topic;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.around(TestGateway.bridging(data, BridgePolicy.OPEN));
    page("9 €");
    topic = world.origin().url("shop") + "#p.price";
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private void page(String price) {
    world
        .origin()
        .serve(
            "shop",
            "text/html; charset=utf-8",
            "<title>Shop</title><p class=price>%s <a href=/buy>buy</a></p>".formatted(price));
  }

  private void priceIs(String price) {
    page(price);
    world.publish(world.origin().url("shop"));
  }

  private static String text(Request request) {
    return new String(request.body(), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "atom", "json", "raw"})
  void a_websub_subscriber_gets_the_part_as_it_stands_in_the_page(String format) {
    String[] asked = format.isEmpty() ? new String[0] : new String[] {"format", format};
    world.subscribe(topic, "callback", asked);

    priceIs("10 €");

    Request delivery = world.delivery("callback");
    assertThat(text(delivery)).isEqualTo("<p class=\"price\">10 € <a href=\"/buy\">buy</a></p>");
    assertThat(delivery.header("Content-Type")).hasValue("text/html; charset=utf-8");
    assertThat(delivery.headers().first("Link").orElseThrow())
        .contains("<" + topic + ">; rel=\"self\"");
  }

  @Test
  void an_aggregator_of_rsscloud_is_told() {
    world.register(topic, "light");
    priceIs("10 €");
    assertThat(text(world.delivery("light"))).contains(Http.encode("url", topic));
  }

  @Test
  void a_webhook_gets_each_change_as_an_entry() throws IOException {
    FakeEndpoint endpoint = new FakeEndpoint(world.subscriber(), "hook");
    endpoint.confirm();
    String body = "{\"url\":\"%s\",\"topics\":[\"%s\"]}".formatted(endpoint.url(), topic);
    assertThat(world.gateway().json("POST", "/api/v1/webhooks", body).statusCode()).isEqualTo(201);
    World.until(() -> world.gateway().rows().count("webhook WHERE state = 'ACTIVE'") == 1);
    World.until(() -> world.gateway().rows().count("feed WHERE first_fetch_at IS NOT NULL") == 1);

    priceIs("10 €");

    JsonNode entry = FakeEndpoint.json(endpoint.messages(1).get(0)).path("items").get(0);
    assertThat(entry.path("title").asText()).isEqualTo("10 € buy");
    assertThat(entry.path("permalinkUrl").asText()).isEqualTo(world.origin().url("shop"));
    assertThat(entry.path("content").asText()).contains(world.origin().url("buy"));
  }

  @Test
  void a_bridged_feed_of_a_part_has_its_state_and_its_changes_as_entries() {
    String bridged = "/feed.atom?" + Http.encode("url", topic);
    HttpResponse<String> first = world.gateway().get(bridged);
    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    assertThat(first.body()).contains("<title>Shop</title>", ">9 € buy</title>");

    priceIs("10 €");

    String document = world.gateway().get(bridged).body();
    assertThat(document.indexOf("10 € buy")).isPositive().isLessThan(document.indexOf("9 € buy"));
  }

  @Test
  void the_explanation_shows_what_is_selected() throws IOException {
    String call = "/api/v1/explain?" + Http.encode("url", topic);
    JsonNode found = JSON.readTree(world.gateway().get(call).body());
    assertThat(found.path("part").path("count").asInt()).isEqualTo(1);
    assertThat(found.path("part").path("text").asText()).isEqualTo("9 € buy");

    String nothing = world.origin().url("shop") + "#h7";
    JsonNode none =
        JSON.readTree(world.gateway().get("/api/v1/explain?" + Http.encode("url", nothing)).body());
    assertThat(none.path("problem").asText())
        .isEqualTo("the document has nothing that \"h7\" selects");
  }

  @Test
  void a_selection_that_is_none_is_refused_with_the_reason_everywhere() {
    String bad = world.origin().url("shop") + "#p%5B";
    String body =
        "{\"url\":\"%s\",\"topics\":[\"%s\"]}".formatted(world.subscriber().url("hook"), bad);
    for (HttpResponse<String> answer :
        List.of(
            world.gateway().subscribe(bad, world.subscriber().url("callback")),
            world.gateway().json("POST", "/api/v1/webhooks", body),
            world.gateway().json("POST", "/api/v1/feeds", "{\"url\":\"%s\"}".formatted(bad)),
            world.gateway().get("/feed.atom?" + Http.encode("url", bad)),
            world.gateway().pleaseNotify(world.subscriber(), "light", bad))) {
      assertThat(answer.body()).contains("is no CSS selector");
    }
    assertThat(world.gateway().rows().count("feed")).isZero();
  }

  @Test
  void a_document_has_200_parts_for_strangers() {
    Instant now = Clock.systemUTC().instant();
    for (int i = 0; i < 200; i++) {
      world.gateway().store().feeds().follow(world.origin().url("shop") + "#p" + i, now).join();
    }
    HttpResponse<String> refused =
        world
            .gateway()
            .formBy(
                "192.0.2.7",
                "/hub",
                "hub.mode",
                "subscribe",
                "hub.topic",
                topic,
                "hub.callback",
                world.subscriber().url("callback"));
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).contains("has 200 followed parts already");
  }
}
