package io.feedbridge.gateway.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.gateway.web.common.AdminAccess;
import io.feedbridge.gateway.web.common.Callers;
import io.feedbridge.gateway.web.stream.ActivityStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log, and who may read it. */
class LogHandlerTest {

  private static final String FEED = "http://feed.example/rss?key=s3cret";

  private final ActivityLog log = new ActivityLog(Clock.systemUTC());

  private Response get(boolean open, Map<String, List<String>> query, String... headers) {
    Map<String, List<String>> json = new HashMap<>(query);
    json.putIfAbsent("format", List.of("json"));
    return get(log, open, json, headers);
  }

  private static Response get(
      ActivityLog log, boolean open, Map<String, List<String>> query, String... headers) {
    AdminAccess access =
        new AdminAccess(Optional.of(new Secret("operator")), URI.create("http://me.example"));
    Request request =
        new Request(
            "GET",
            "/log",
            "",
            query,
            Headers.of(headers),
            new byte[0],
            new InetSocketAddress("192.0.2.1", 4711),
            Map.of());
    ActivityStream live = new ActivityStream(log, Runnable::run, new ManualTimer(Instant.EPOCH));
    Callers callers = new Callers(Networks.of(List.of()));
    return new LogHandler(log, live, access, callers, topic -> false, open)
        .log(request)
        .toCompletableFuture()
        .join();
  }

  @Test
  void it_is_for_operators_unless_it_is_open() {
    log.note(Kind.PING, FEED, "", true, "by PING");

    assertThat(get(false, Map.of()).status()).isEqualTo(401);
    Response operator = get(false, Map.of(), "Authorization", "Bearer operator");
    assertThat(operator.status()).isEqualTo(200);
    assertThat(operator.bodyAsText()).contains(FEED);
    Response anyone = get(true, Map.of());
    assertThat(anyone.status()).isEqualTo(200);
    assertThat(anyone.bodyAsText()).contains("http://feed.example/rss?…").doesNotContain("s3cret");
  }

  @Test
  void a_browser_is_led_to_the_live_page_with_its_filter() {
    Response answer = get(log, true, Map.of("kind", List.of("ping")));

    assertThat(answer.status()).isEqualTo(303);
    assertThat(answer.headers().first("Location")).contains("/live");
    assertThat(get(log, true, Map.of("kind", List.of("nonsense"))).status()).isEqualTo(400);
  }

  @Test
  void a_notification_has_its_subscriber_and_event_for_operators_alone() {
    log.delivery(
        FEED,
        "a.example",
        true,
        "delivered",
        new Activity.Delivery(7, 987_654, "https://a.example/c4llback?key=s3cret"));
    log.delivery(
        FEED,
        "b.example",
        true,
        "delivered",
        new Activity.Delivery(-3, 987_654, "https://b.example"));

    assertThat(get(false, Map.of(), "Authorization", "Bearer operator").bodyAsText())
        .contains("\"subscriber\":\"7\"", "\"subscriber\":\"webhook-3\"", "\"event\":\"987654\"");
    assertThat(get(true, Map.of()).bodyAsText())
        .doesNotContain("webhook-3", "987654", "c4llback", "s3cret");
  }

  @Test
  void a_notification_is_found_by_the_path_of_its_callback_by_operators_alone() {
    log.delivery(
        FEED,
        "a.example",
        true,
        "delivered",
        new Activity.Delivery(7, 1, "https://a.example/c4llback?key=s3cret"));
    Map<String, List<String>> path = Map.of("text", List.of("example/C4ll"));

    Response operator = get(false, path, "Authorization", "Bearer operator");
    assertThat(operator.bodyAsText()).contains("\"path\":\"/c4llback\",");
    assertThat(get(true, path).bodyAsText()).doesNotContain("a.example");
  }

  @Test
  void a_feed_or_a_kind_can_be_chosen() {
    log.note(Kind.PING, FEED, "", true, "wanted");
    log.note(Kind.FETCH, FEED, "", true, "other kind");
    log.note(Kind.PING, "http://other.example/", "", true, "other feed");

    assertThat(get(true, Map.of("feed", List.of(FEED), "kind", List.of("ping"))).bodyAsText())
        .contains("wanted")
        .doesNotContain("other");
    assertThat(get(true, Map.of("kind", List.of("ping", "fetch"))).status()).isEqualTo(400);
  }

  @Test
  void times_have_milliseconds_whatever_they_are() {
    for (String at : List.of("2026-03-01T14:30:20Z", "2026-03-01T14:30:20.5Z")) {
      ActivityLog still = new ActivityLog(Clock.fixed(Instant.parse(at), ZoneOffset.UTC));
      still.note(Kind.PING, FEED, "", true, "x");
      String expected = at.replace("20Z", "20.000Z").replace("20.5Z", "20.500Z");

      assertThat(get(still, true, Map.of("format", List.of("json"))).bodyAsText())
          .contains("\"at\":\"" + expected + "\"");
    }
  }

  @Test
  void a_text_can_be_looked_for_in_what_is_shown() {
    log.note(Kind.FETCH, FEED, "", false, "HTTP 500 Wanted");
    log.note(Kind.FETCH, "http://other.example/", "", true, "another");
    log.noteOfHost(Kind.PING, "http://third.example/", "192.0.2.9", true, "third");

    Response found =
        get(false, Map.of("text", List.of("wanted")), "Authorization", "Bearer operator");
    assertThat(found.bodyAsText()).contains("HTTP 500 Wanted").doesNotContain("another", "third");
    assertThat(get(true, Map.of("text", List.of("s3cret"))).bodyAsText()).doesNotContain("Wanted");
    assertThat(get(true, Map.of("text", List.of("192.0.2.9"))).bodyAsText())
        .doesNotContain("third.example");
  }

  @Test
  void who_pinged_is_for_operators() {
    log.noteOfHost(Kind.PING, FEED, "192.0.2.9", true, "ping: the feed will be fetched");

    assertThat(get(false, Map.of(), "Authorization", "Bearer operator").bodyAsText())
        .contains("192.0.2.9");
    assertThat(get(true, Map.of()).bodyAsText()).doesNotContain("192.0.2.9");
  }

  @Test
  void every_kind_of_thing_is_in_it_without_challenges(@TempDir Path data) throws Exception {
    try (World world = World.on(data)) {
      String feed = world.origin().rss("feed.xml", "", "one");
      world.register(feed, "one");
      world.origin().rss("feed.xml", "", "two", "one");
      world.gateway().form("/ping", "url", feed);
      world.delivery("one");

      String challenge = Http.first(world.subscriber().asked("one").get(0).query(), "challenge");
      World.until(() -> kinds(world, challenge).size() == 6);

      assertThat(kinds(world, challenge))
          .containsExactlyInAnyOrder(
              "registration", "test", "ping", "fetch", "notification", "subscription");
      assertThat(world.gateway().get("/live").body()).contains("registered", feed);
    }
  }

  @Test
  void a_registration_that_cannot_be_understood_is_under_its_feed_and_callback(@TempDir Path data)
      throws Exception {
    try (World world = World.on(data)) {
      String[] fields = {
        "port", "none", "path", "/secret", "protocol", "http-post", "domain", "me.example"
      };
      String[] named = Arrays.copyOf(fields, fields.length + 2);
      named[fields.length] = "url1";
      named[fields.length + 1] = "http://feed.example/";
      world.gateway().form("/pleaseNotify", fields);
      world.gateway().form("/pleaseNotify", named);

      JsonNode items =
          new ObjectMapper()
              .readTree(world.gateway().get("/log?format=json&kind=registration").body())
              .get("items");
      assertThat(items.get(0).get("feed").asText()).isEqualTo("http://feed.example/");
      assertThat(items.get(0).get("peer").asText()).startsWith("me.example");
      assertThat(items.get(0).get("outcome").asText()).startsWith("refused: ").contains("port");
      assertThat(items.get(1).get("feed").asText()).isEmpty();
      assertThat(items.toString()).doesNotContain("secret");
    }
  }

  @Test
  void each_step_of_a_subscription_is_in_it(@TempDir Path data) throws Exception {
    try (World world = World.on(data)) {
      String feed = world.origin().rss("feed.xml", "", "one");
      world.subscribe(feed, "one");
      world.subscriber().answer("one", 503);
      world.origin().rss("feed.xml", "", "two", "one");
      world.publish(feed);
      World.until(() -> steps(world).size() == 3);
      world.subscriber().answer("one", 204);
      world.gateway().send("POST", "/api/v1/subscriptions/1/retry");
      World.until(() -> steps(world).size() == 4);
      world.gateway().subscribe(feed, world.subscriber().url("one"));
      World.until(() -> steps(world).size() == 5);
      world
          .subscriber()
          .onQuestion("one", request -> CompletableFuture.completedFuture(Response.empty(404)));
      world.gateway().subscribe(feed, world.subscriber().url("one"));
      World.until(() -> steps(world).size() == 6);
      world.subscriber().answer("one", 410);
      world.origin().rss("feed.xml", "", "three", "two", "one");
      world.publish(feed);
      World.until(() -> steps(world).size() == 7);

      assertThat(steps(world))
          .containsExactly(
              "pending: asked for",
              "active: confirmed",
              "lagging: HTTP 503",
              "active: it has all events",
              "active: renewed",
              "active: not renewed: the callback answered with status 404 and must return the"
                  + " challenge with a 2xx",
              "ended: it answered 410");
    }
  }

  @Test
  void so_is_why_there_is_none(@TempDir Path data) throws Exception {
    try (World world = World.on(data)) {
      world.subscriber().answer("one", 503);
      world
          .subscriber()
          .onQuestion("one", request -> CompletableFuture.completedFuture(Response.empty(404)));
      world
          .gateway()
          .subscribe(world.origin().rss("feed.xml", "", "one"), world.subscriber().url("one"));
      World.until(() -> steps(world).size() == 2);
      world
          .gateway()
          .subscribe(world.origin().fail("gone.xml", 410), world.subscriber().url("two"));
      World.until(() -> steps(world).size() == 4);

      assertThat(steps(world))
          .satisfiesExactly(
              step -> assertThat(step).isEqualTo("pending: asked for"),
              step ->
                  assertThat(step)
                      .startsWith("unconfirmed: the callback answered with")
                      .contains("404"),
              step -> assertThat(step).isEqualTo("pending: asked for"),
              step -> assertThat(step).startsWith("denied: the topic cannot be fetched"));
    }
  }

  /** What became of subscriptions, the oldest first. */
  private static List<String> steps(World world) throws Exception {
    Deque<String> steps = new ArrayDeque<>();
    String json = world.gateway().get("/log?format=json").body();
    for (JsonNode item : new ObjectMapper().readTree(json).get("items")) {
      if (Set.of("subscription", "drop").contains(item.get("kind").asText())) {
        assertThat(item.get("peer").asText()).startsWith("127.0.0.1:").doesNotContain("/");
        steps.addFirst(item.get("outcome").asText());
      }
    }
    return List.copyOf(steps);
  }

  private static Set<String> kinds(World world, String challenge) throws Exception {
    String json = world.gateway().get("/log?format=json").body();
    assertThat(json).doesNotContain(challenge);
    Set<String> kinds = new TreeSet<>();
    for (JsonNode item : new ObjectMapper().readTree(json).get("items")) {
      assertThat(item.get("success").asBoolean()).as("%s", item).isTrue();
      kinds.add(item.get("kind").asText());
    }
    return kinds;
  }
}
