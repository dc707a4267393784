package io.feedbridge.gateway.relay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pings that are passed on, with real sockets. */
class RelayedPingsTest {

  private static final String THANKS =
      "<?xml version=\"1.0\"?><methodResponse><params><param><value><struct><member><name>flerror"
          + "</name><value><boolean>%d</boolean></value></member><member><name>message</name><value>"
          + "well</value></member></struct></value></param></params></methodResponse>";

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber targets = new FakeSubscriber();
  private final List<TestGateway> gateways = new ArrayList<>();

  @TempDir Path data;

  @AfterEach
  void stop() {
    gateways.forEach(TestGateway::close);
    targets.close();
    origin.close();
  }

  private TestGateway gateway(int port, String... rules) {
    TestGateway gateway = TestGateway.relaying(data.resolve("data" + port), port, List.of(rules));
    gateways.add(gateway);
    return gateway;
  }

  private String followed(TestGateway gateway, String path, String... items) {
    String topic = origin.rss(path, "<link>https://blog.example/</link>", items);
    gateway.json("POST", "/api/v1/feeds", "{\"url\":\"%s\"}".formatted(topic));
    World.until(
        () -> gateway.rows().count("feed WHERE topic = '" + topic + "' AND tried = 1") == 1);
    return topic;
  }

  private static void ping(TestGateway gateway, String topic) {
    assertThat(gateway.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode())
        .isEqualTo(204);
    gateway.settle();
  }

  private Request received(String path, int count) {
    World.until(() -> targets.received(path).size() >= count);
    assertThat(targets.received(path)).hasSize(count);
    return targets.received(path).get(count - 1);
  }

  private static JsonNode relays(TestGateway gateway) throws IOException {
    return new ObjectMapper().readTree(gateway.get("/api/v1/relays").body()).path("items");
  }

  @Test
  void each_target_is_told_by_its_own_protocol() throws IOException {
    targets.answer(
        "weblogs",
        request ->
            CompletableFuture.completedFuture(
                Response.of(200, "text/xml", THANKS.formatted(0).getBytes(UTF_8))));
    TestGateway gateway =
        gateway(
            FreePort.next(),
            "*=hub:" + targets.url("hub"),
            "*=cloud:" + targets.url("cloud"),
            "*=weblogs:" + targets.url("weblogs"),
            "*.example.org=hub:" + targets.url("other"));
    String topic = followed(gateway, "feed", "one");

    origin.rss("feed", "<link>https://blog.example/</link>", "two", "one");
    ping(gateway, topic);

    assertThat(new String(received("hub", 1).body(), UTF_8))
        .isEqualTo(
            "hub.mode=publish&%s&%s"
                .formatted(Http.encode("hub.url", topic), Http.encode("hub.topic", topic)));
    assertThat(new String(received("cloud", 1).body(), UTF_8)).isEqualTo(Http.encode("url", topic));
    assertThat(new String(received("weblogs", 1).body(), UTF_8))
        .contains("weblogUpdates.ping", "https://blog.example/");
    assertThat(targets.received("hub").get(0).header(GatewayPath.HEADER)).isPresent();
    assertThat(targets.received("other")).isEmpty();
    World.until(() -> relays(gateway).get(0).path("sent").asInt() == 1);
    assertThat(relays(gateway).get(0).path("feeds").get(0).asText()).isEqualTo("*");
    assertThat(gateway.get("/log?format=json&kind=relay").body()).contains("ping passed on by hub");
  }

  @Test
  void a_ping_by_get_has_the_urls_of_the_feed_and_its_page() {
    TestGateway gateway =
        gateway(FreePort.next(), "*=get:" + targets.url("get") + "?u={url}&p={page}");
    String topic = followed(gateway, "feed", "one");
    origin.rss("feed", "<link>https://blog.example/</link>", "two", "one");
    ping(gateway, topic);
    World.until(() -> targets.asked("get").size() == 1);
    assertThat(targets.asked("get").get(0).rawQuery())
        .isEqualTo(Http.encode("u", topic) + "&" + Http.encode("p", "https://blog.example/"));
  }

  @Test
  void a_target_that_is_busy_is_told_later_and_a_refusal_is_told_to_the_operator()
      throws IOException {
    AtomicInteger asked = new AtomicInteger();
    targets.answer(
        "busy",
        request ->
            CompletableFuture.completedFuture(
                asked.incrementAndGet() == 1
                    ? Response.text(503, "later")
                    : Response.text(200, "thanks")));
    targets.answer(
        "weblogs",
        request ->
            CompletableFuture.completedFuture(
                Response.of(200, "text/xml", THANKS.formatted(1).getBytes(UTF_8))));
    TestGateway gateway =
        gateway(
            FreePort.next(), "*=hub:" + targets.url("busy"), "*=weblogs:" + targets.url("weblogs"));
    String topic = followed(gateway, "feed", "one");
    origin.rss("feed", "", "two", "one");
    ping(gateway, topic);

    received("weblogs", 1);
    World.until(() -> relays(gateway).get(1).path("refused").asInt() == 1);
    assertThat(relays(gateway).get(1).path("problem").asText()).contains("well");
    World.until(() -> gateway.rows().count("consumer WHERE name LIKE 'relay:hub:%'") == 1);
    World.until(() -> asked.get() >= 1 && !relays(gateway).get(0).path("problem").isNull());
  }

  @Test
  void a_ping_is_sent_after_a_restart_and_a_target_that_is_named_no_more_is_forgotten() {
    int port = FreePort.next();
    targets.answer("hub", 503);
    TestGateway gateway = gateway(port, "*=hub:" + targets.url("hub"));
    String topic = followed(gateway, "feed", "one");
    origin.rss("feed", "", "two", "one");
    ping(gateway, topic);
    World.until(() -> !targets.received("hub").isEmpty());
    gateway.close();
    gateways.clear();
    targets.answer("hub", 204);
    int before = targets.received("hub").size();

    TestGateway again = gateway(port, "*=hub:" + targets.url("hub"));
    World.until(() -> targets.received("hub").size() > before);
    again.close();
    gateways.clear();

    TestGateway without = gateway(port);
    assertThat(without.rows().count("consumer WHERE name LIKE 'relay:%'")).isZero();
  }

  @Test
  void a_page_that_changes_each_time_does_not_go_round_three_gateways() {
    AtomicInteger versions = new AtomicInteger();
    targets.onQuestion(
        "page",
        request ->
            CompletableFuture.completedFuture(
                Response.text(200, "version " + versions.incrementAndGet())));
    String page = targets.url("page");
    List<Integer> ports = IntStream.range(0, 3).mapToObj(i -> FreePort.next()).toList();
    for (int i = 0; i < 3; i++) {
      gateway(ports.get(i), "*=hub:http://127.0.0.1:%d/hub".formatted(ports.get((i + 1) % 3)));
    }
    for (TestGateway gateway : gateways) {
      gateway.json("POST", "/api/v1/feeds", "{\"url\":\"%s\"}".formatted(page));
      World.until(() -> gateway.rows().count("feed WHERE first_fetch_at IS NOT NULL") == 1);
    }
    int before = versions.get();

    ping(gateways.get(0), page);

    World.until(() -> gateways.get(2).rows().count("event") == 1);
    gateways.forEach(TestGateway::settle);
    assertThat(versions.get()).isEqualTo(before + 3);
    assertThat(gateways).allMatch(gateway -> gateway.rows().count("event") == 1);
  }

  @Test
  void a_ping_that_came_round_is_thanked_for_and_changes_nothing() {
    TestGateway gateway = gateway(FreePort.next());
    String topic = followed(gateway, "feed", "one");
    int before = origin.requests("feed").size();
    String path = GatewayPath.from(gateway.url(""), List.of()).header();
    for (String call : List.of("/ping", "/hub")) {
      String form =
          call.equals("/ping")
              ? Http.encode("url", topic)
              : "hub.mode=publish&" + Http.encode("hub.url", topic);
      assertThat(
              gateway
                  .post(
                      call,
                      "application/x-www-form-urlencoded",
                      form.getBytes(UTF_8),
                      GatewayPath.HEADER,
                      path)
                  .statusCode())
          .isBetween(200, 204);
    }
    gateway.settle();
    assertThat(origin.requests("feed")).hasSize(before);
    assertThat(gateway.get("/log?format=json&kind=ping").body())
        .contains("this gateway passed the ping on itself");
  }
}
