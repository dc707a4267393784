package io.feedbridge.gateway.web.api.subscribers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Subscriptions as operators see them: listed, looked into, tried again and ended. */
class SubscriptionsApiTest {

  private static final String LIST = "/api/v1/subscriptions";
  private static final String SECRET = "never to be shown";

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

  private JsonNode json(HttpResponse<String> answer, int status, String type) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue(type);
    assertThat(answer.body()).doesNotContain(SECRET);
    try {
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private JsonNode get(String path) {
    return json(world.gateway().get(path), 200, "application/json");
  }

  private JsonNode problem(String method, String path, int status) {
    return json(world.gateway().send(method, path), status, "application/problem+json");
  }

  private List<String> callbacks(String query) {
    List<String> callbacks = new ArrayList<>();
    get(LIST + query).get("items").forEach(item -> callbacks.add(path(item)));
    return callbacks;
  }

  /** The path of a callback at the fake subscriber. */
  private String path(JsonNode item) {
    return item.get("callback").asText().substring(world.subscriber().url("").length());
  }

  private JsonNode only() {
    JsonNode items = get(LIST).get("items");
    assertThat(items).hasSize(1);
    return items.get(0);
  }

  private static Instant instant(JsonNode node) {
    return Instant.parse(node.asText());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private void changed(String... items) {
    world.origin().rss("feed.xml", "", items);
    world.publish(topic);
  }

  /** A subscription whose one delivery so far was answered 503. */
  private String lagging() {
    world.subscribe(topic, "one", "hub.secret", SECRET);
    world.subscriber().answer("one", 503);
    changed("two", "one");
    World.until(() -> only().get("behind").path("attempts").asInt() == 1);
    return only().get("id").asText();
  }

  /** One whose callback has been asked and does not answer. */
  private void pending(String path) {
    world.subscriber().onQuestion(path, request -> new CompletableFuture<>());
    assertThat(
            world
                .gateway()
                .subscribe(topic, world.subscriber().url(path), "hub.secret", SECRET)
                .statusCode())
        .isEqualTo(202);
    World.until(() -> !world.subscriber().asked(path).isEmpty());
  }

  @Nested
  class OneThat {

    @Test
    void is_healthy_is_active() {
      world.subscribe(topic, "one", "format", "json", "hub.secret", SECRET);

      JsonNode one = only();

      assertThat(one.fieldNames())
          .toIterable()
          .containsExactly(
              "id",
              "protocol",
              "topic",
              "callback",
              "format",
              "every",
              "only",
              "fields",
              "digest",
              "nextDigestAt",
              "state",
              "leaseEndsAt",
              "createdAt",
              "endedAt",
              "reason",
              "behind",
              "gaps");
      assertThat(one.get("id").isTextual()).isTrue();
      assertThat(one.get("protocol").asText()).isEqualTo("websub");
      assertThat(one.get("topic").asText()).isEqualTo(topic);
      assertThat(one.get("callback").asText()).isEqualTo(world.subscriber().url("one"));
      assertThat(one.get("format").asText()).isEqualTo("json");
      assertThat(one.get("state").asText()).isEqualTo("active");
      assertThat(one.get("behind").isNull()).isTrue();
      assertThat(Duration.between(instant(one.get("createdAt")), instant(one.get("leaseEndsAt"))))
          .isEqualTo(Duration.ofDays(10));
      assertThat(get(LIST + "/" + one.get("id").asText())).isEqualTo(one);
    }

    @Test
    void is_of_rssCloud_is_there_too() {
      world.register(topic, "cloud");

      assertThat(only().get("protocol").asText()).isEqualTo("rsscloud");
      assertThat(only().get("format").asText()).isEqualTo("light");
    }

    @Test
    void missed_something_lags_and_says_how_far_and_why() {
      String id = lagging();

      JsonNode one = get(LIST + "/" + id);

      assertThat(one.get("state").asText()).isEqualTo("lagging");
      JsonNode behind = one.get("behind");
      assertThat(behind.fieldNames())
          .toIterable()
          .containsExactly("events", "since", "attempts", "nextAttemptAt", "lastError");
      assertThat(behind.get("events").asInt()).isEqualTo(1);
      assertThat(behind.get("attempts").asInt()).isEqualTo(1);
      assertThat(behind.get("lastError").asText()).isEqualTo("HTTP 503");
      assertThat(instant(behind.get("since"))).isBefore(instant(behind.get("nextAttemptAt")));
    }

    @Test
    void waits_for_its_callback_is_pending() {
      pending("slow");

      JsonNode one = only();

      assertThat(one.get("state").asText()).isEqualTo("pending");
      assertThat(one.get("leaseEndsAt").isNull()).isTrue();
      assertThat(get(LIST + "/" + one.get("id").asText())).isEqualTo(one);
      assertThat(get(LIST + "/" + one.get("id").asText() + "/deliveries").get("items")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
      "GET, ''",
      "DELETE, ''",
      "GET, /deliveries",
      "POST, /retry",
    })
    void is_not_there_is_404(String method, String rest) {
      world.subscribe(topic, "one");
      for (String id :
          List.of("99", "0", "-1", "x", "pending-1", "1x", "999999999999999999999", "%20")) {
        JsonNode problem = problem(method, LIST + "/" + id + rest, 404);
        assertThat(problem.get("title").asText()).isEqualTo("Not Found");
        assertThat(problem.get("status").asInt()).isEqualTo(404);
        assertThat(problem.get("detail").asText()).isNotEmpty();
        assertThat(problem.get("errors")).isEmpty();
      }
      assertThat(get(LIST).get("items")).hasSize(1);
    }
  }

  @Nested
  class TheList {

    @Test
    void is_empty_at_first() {
      JsonNode answer = get(LIST);

      assertThat(answer.get("items")).isEmpty();
      assertThat(answer.get("nextCursor").isNull()).isTrue();
    }

    @Test
    void is_filtered() {
      String other = world.origin().rss("other.xml", "", "one");
      world.subscribe(topic, "bad");
      world.subscribe(topic, "good");
      world.subscribe(other, "other");
      world.register(topic, "cloud");
      world.subscriber().answer("bad", 503);
      changed("two", "one");
      World.until(() -> callbacks("?state=lagging").equals(List.of("bad")));
      pending("slow");

      assertThat(callbacks("")).containsExactly("bad", "good", "other", "cloud", "slow");
      assertThat(callbacks("?topic=" + encoded(other))).containsExactly("other");
      assertThat(callbacks("?protocol=rsscloud")).containsExactly("cloud");
      assertThat(callbacks("?protocol=webhook")).isEmpty();
      assertThat(callbacks("?state=active")).containsExactly("good", "other", "cloud");
      assertThat(callbacks("?state=pending")).containsExactly("slow");
      assertThat(callbacks("?state=ended")).isEmpty();
      assertThat(callbacks("?callback=" + encoded(world.subscriber().url("good"))))
          .containsExactly("good");
      assertThat(callbacks("?topic=&protocol=websub&state=active&callback="))
          .containsExactly("good", "other");
    }

    @Test
    void comes_in_parts() {
      for (String path : List.of("a", "b", "c")) {
        world.subscribe(topic, path);
      }
      pending("slow");

      List<String> all = new ArrayList<>();
      String next = "";
      do {
        JsonNode part = get(LIST + "?limit=3" + next);
        part.get("items").forEach(item -> all.add(path(item)));
        next = part.get("nextCursor").isNull() ? "" : "&cursor=" + part.get("nextCursor").asText();
        assertThat(part.get("items").size()).isIn(1, 3);
      } while (!next.isEmpty());

      assertThat(all).containsExactly("a", "b", "c", "slow");
      assertThat(get(LIST + "?limit=4").get("nextCursor").isNull()).isTrue();
    }

    @Test
    void is_counted_and_entered_at_a_page_whatever_the_kind_of_its_items() {
      for (String path : List.of("a", "b", "c")) {
        world.subscribe(topic, path);
      }
      pending("slow");
      world
          .gateway()
          .json(
              "POST",
              "/api/v1/webhooks",
              "{\"url\":\"%s\",\"topics\":[\"%s\"]}"
                  .formatted(world.subscriber().url("hook"), topic));

      List<String> all = new ArrayList<>();
      for (int page = 1; page <= 5; page++) {
        JsonNode part = get(LIST + "?limit=1&total=true&page=" + page);
        part.get("items").forEach(item -> all.add(path(item)));
        assertThat(part.get("total").asInt()).isEqualTo(5);
      }
      assertThat(all).containsExactly("a", "b", "c", "slow", "hook");
      assertThat(callbacks("?limit=3&page=2")).containsExactly("slow", "hook");
      assertThat(callbacks("?limit=3&page=3")).isEmpty();
      assertThat(get(LIST + "?state=pending&total=true").get("total").asInt()).isEqualTo(2);
      assertThat(get("/api/v1/webhooks?total=true").get("total").asInt()).isEqualTo(1);
      assertThat(get("/api/v1/webhooks?page=2").get("items")).isEmpty();

      world.gateway().send("DELETE", LIST + "/" + get(LIST).at("/items/0/id").asText());
      World.until(() -> callbacks("?state=ended").equals(List.of("a")));
      assertThat(get(LIST + "?state=ended&total=true").get("total").asInt()).isEqualTo(1);
      assertThat(callbacks("?state=ended&page=2")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
      "limit,    limit=0",
      "limit,    limit=501",
      "limit,    limit=-1",
      "limit,    limit=ten",
      "limit,    limit=1&limit=2",
      "cursor,   cursor=1",
      "page,     page=none",
      "cursor,   cursor=!!!",
      "cursor,   cursor=bm9uc2Vuc2U",
      "protocol, protocol=WebSub",
      "state,    state=idle",
      "topic,    topic=nonsense",
      "topic,    topic=ftp://feeds.example.org/"
    })
    void with_a_wrong_parameter_is_400_and_says_which(String field, String query) {
      JsonNode problem = problem("GET", LIST + "?" + query, 400);

      assertThat(problem.get("title").asText()).isEqualTo("Bad Request");
      assertThat(problem.get("errors")).hasSize(1);
      assertThat(problem.get("errors").get(0).get("field").asText()).isEqualTo(field);
      assertThat(problem.get("errors").get(0).get("detail").asText()).isNotEmpty();
    }
  }

  @Nested
  class Deliveries {

    @Test
    void are_told_newest_first() {
      String id = lagging();
      world.subscriber().answer("one", 202);
      assertThat(world.gateway().send("POST", LIST + "/" + id + "/retry").statusCode())
          .isEqualTo(202);
      World.until(() -> deliveries(id).get(0).get("outcome").asText().equals("delivered"));

      JsonNode items = deliveries(id);

      assertThat(items).hasSize(2);
      assertThat(items.get(0).fieldNames())
          .toIterable()
          .containsExactly(
              "id",
              "at",
              "eventId",
              "title",
              "attempt",
              "kind",
              "outcome",
              "status",
              "error",
              "durationMs",
              "bytes");
      JsonNode second = items.get(0);
      JsonNode first = items.get(1);
      assertThat(first.get("attempt").asInt()).isEqualTo(1);
      assertThat(first.get("kind").asText()).isEqualTo("round");
      assertThat(first.get("outcome").asText()).isEqualTo("refused");
      assertThat(first.get("status").asInt()).isEqualTo(503);
      assertThat(first.get("error").asText()).isEqualTo("HTTP 503");
      assertThat(first.get("durationMs").asLong()).isBetween(0L, 60_000L);
      assertThat(second.get("attempt").asInt()).isEqualTo(2);
      assertThat(second.get("kind").asText()).isEqualTo("catch_up");
      assertThat(second.get("status").asInt()).isEqualTo(202);
      assertThat(second.get("error").isNull()).isTrue();
      assertThat(second.get("eventId")).isEqualTo(first.get("eventId"));
      assertThat(second.get("bytes").asInt())
          .isEqualTo(world.subscriber().received("one").get(1).body().length);
      assertThat(instant(second.get("at"))).isAfterOrEqualTo(instant(first.get("at")));
      String event = world.subscriber().received("one").get(0).header("Feedbridge-Event").get();
      assertThat(first.get("eventId").asText()).isEqualTo(event);
    }

    @Test
    void under_way_are_shown_as_that() {
      world.subscribe(topic, "one");
      world.subscriber().answer("one", request -> new CompletableFuture<>());
      world.origin().rss("feed.xml", "", "two", "one");
      world.gateway().form("/hub", "hub.mode", "publish", "hub.url", topic);
      World.until(() -> !world.subscriber().received("one").isEmpty());

      JsonNode one = deliveries(only().get("id").asText()).get(0);

      assertThat(one.get("outcome").asText()).isEqualTo("under_way");
      assertThat(one.get("status").isNull()).isTrue();
      assertThat(one.get("durationMs").isNull()).isTrue();
    }

    @Test
    void without_an_answer_say_what_went_wrong() {
      FakeSubscriber dead = new FakeSubscriber();
      String callback = dead.url("dead");
      assertThat(world.gateway().subscribe(topic, callback).statusCode()).isEqualTo(202);
      World.until(() -> only().get("state").asText().equals("active"));
      dead.close();

      changed("two", "one");

      String id = only().get("id").asText();
      World.until(() -> !deliveries(id).get(0).get("error").isNull());
      JsonNode one = deliveries(id).get(0);
      assertThat(one.get("outcome").asText()).isEqualTo("connect");
      assertThat(one.get("status").isNull()).isTrue();
      assertThat(one.get("error").asText()).isEqualTo("no connection could be opened");
    }

    @Test
    void come_in_parts_too() {
      world.subscribe(topic, "one");
      changed("two", "one");
      changed("three", "two", "one");
      changed("four", "three", "two", "one");
      String path = LIST + "/" + only().get("id").asText() + "/deliveries?limit=2";

      JsonNode first = get(path);
      JsonNode second = get(path + "&cursor=" + first.get("nextCursor").asText());

      assertThat(first.get("items")).hasSize(2);
      assertThat(second.get("items")).hasSize(1);
      assertThat(second.get("nextCursor").isNull()).isTrue();
      assertThat(problem("GET", path + "&cursor=x", 400).get("errors")).hasSize(1);
    }

    @Test
    void outlive_the_subscription() {
      world.subscribe(topic, "one");
      changed("two", "one");
      String id = only().get("id").asText();
      world.gateway().send("DELETE", LIST + "/" + id);

      assertThat(deliveries(id)).hasSize(1);
    }

    private JsonNode deliveries(String id) {
      return get(LIST + "/" + id + "/deliveries").get("items");
    }
  }

  @Nested
  class Retry {

    @Test
    void is_sent_long_before_its_time() {
      world.subscribe(topic, "one");
      world
          .subscriber()
          .answer(
              "one",
              request ->
                  CompletableFuture.completedFuture(
                      Response.empty(503).withHeader("Retry-After", "36000")));
      changed("two", "one");
      World.until(() -> only().get("behind").path("attempts").asInt() == 1);
      JsonNode before = only();
      assertThat(instant(before.get("behind").get("nextAttemptAt")))
          .isAfter(Instant.now().plus(Duration.ofHours(9)));
      world.subscriber().answer("one", 204);

      HttpResponse<String> answer =
          world.gateway().send("POST", LIST + "/" + before.get("id").asText() + "/retry");

      assertThat(json(answer, 202, "application/json").get("id")).isEqualTo(before.get("id"));
      World.until(() -> only().get("state").asText().equals("active"));
      assertThat(world.subscriber().bodies("one")).hasSize(2);
    }

    @Test
    void of_one_that_is_not_behind_changes_nothing() {
      world.subscribe(topic, "one");
      pending("slow");

      for (JsonNode item : get(LIST).get("items")) {
        String path = LIST + "/" + item.get("id").asText() + "/retry";
        JsonNode answer = json(world.gateway().send("POST", path), 202, "application/json");
        assertThat(answer).isEqualTo(item);
      }
      assertThat(world.subscriber().received("one")).isEmpty();
    }
  }

  @Nested
  class OneThatHasEnded {

    /** The view of a subscription whose callback answered 410. */
    private JsonNode gone() {
      world.subscribe(topic, "one");
      String path = LIST + "/" + only().get("id").asText();
      world.subscriber().answer("one", 410);
      changed("two", "one");
      World.until(() -> get(path).get("state").asText().equals("ended"));
      return get(path);
    }

    @Test
    void says_when_and_why_and_keeps_its_deliveries() {
      JsonNode one = gone();

      assertThat(one.get("reason").asText()).isEqualTo("it answered 410");
      assertThat(instant(one.get("endedAt"))).isAfterOrEqualTo(instant(one.get("createdAt")));
      assertThat(one.get("leaseEndsAt").isNull()).isTrue();
      String path = LIST + "/" + one.get("id").asText();
      assertThat(get(path + "/deliveries").findValuesAsText("outcome")).containsExactly("gone");
      problem("POST", path + "/retry", 404);
      problem("DELETE", path, 404);
    }

    @Test
    void is_listed_where_ended_ones_are_asked_for() {
      JsonNode one = gone();

      assertThat(get(LIST).get("items")).isEmpty();
      assertThat(get(LIST + "?state=ended").get("items")).containsExactly(one);
      assertThat(get(LIST + "?state=ended&protocol=rsscloud").get("items")).isEmpty();
      assertThat(get(LIST + "?state=ended&protocol=webhook").get("items")).isEmpty();
      assertThat(get(LIST + "?state=ended&topic=" + encoded(topic)).get("items")).hasSize(1);
      assertThat(get(LIST + "?state=ended&callback=http://x.example/").get("items")).isEmpty();
      assertThat(world.gateway().get("/subscriptions?state=ended").body())
          .contains(one.get("callback").asText());
      assertThat(world.gateway().get("/subscriptions/" + one.get("id").asText()).body())
          .contains("it answered 410")
          .doesNotContain("Retry now", "End this subscription");
    }

    @Test
    void is_among_the_subscribers_of_an_event_with_the_reason() {
      JsonNode one = gone();
      world.subscribe(topic, "two");
      changed("three", "two", "one");
      world.delivery("two");
      String events = "/api/v1/events";
      String newest = get(events).at("/items/1/id").asText();

      JsonNode items = get(events + "/" + newest + "/deliveries").get("items");

      assertThat(items.at("/0/outcome").asText()).isEqualTo("ended");
      assertThat(items.at("/1/outcome").asText()).isEqualTo("delivered");
      assertThat(items.get(0).get("subscriptionId")).isEqualTo(one.get("id"));
      assertThat(items.get(0).get("reason").asText()).startsWith("it answered 410, at 20");
      assertThat(world.gateway().get("/events/" + newest).body())
          .contains("it answered 410", "The subscription has ended.");
    }
  }

  @Nested
  class Delete {

    @Test
    void ends_a_subscription() {
      world.subscribe(topic, "one");
      world.subscribe(topic, "two");
      String id = get(LIST).get("items").get(0).get("id").asText();

      assertThat(world.gateway().send("DELETE", LIST + "/" + id).statusCode()).isEqualTo(204);

      assertThat(callbacks("")).containsExactly("two");
      problem("DELETE", LIST + "/" + id, 404);
      changed("two", "one");
      world.delivery("two");
      assertThat(world.subscriber().received("one")).isEmpty();
    }

    @Test
    void H10_tells_the_callback_that_and_why() {
      world.subscribe(topic, "one");
      String id = only().get("id").asText();

      world.gateway().send("DELETE", LIST + "/" + id);

      World.until(() -> world.subscriber().asked("one").size() == 2);
      Map<String, List<String>> told = world.subscriber().asked("one").get(1).query();
      assertThat(told.get("hub.mode")).containsExactly("denied");
      assertThat(told.get("hub.topic")).containsExactly(topic);
      assertThat(told.get("hub.reason"))
          .containsExactly("the operator of this hub has ended the subscription");
    }

    @Test
    void withdraws_a_request_that_waits() {
      pending("slow");
      String id = only().get("id").asText();

      assertThat(world.gateway().send("DELETE", LIST + "/" + id).statusCode()).isEqualTo(204);

      assertThat(get(LIST).get("items")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT", "PATCH", "POST"})
  void other_methods_are_405(String method) {
    assertThat(world.gateway().send(method, LIST).statusCode()).isEqualTo(405);
  }
}
