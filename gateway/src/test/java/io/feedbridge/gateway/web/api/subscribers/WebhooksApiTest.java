package io.feedbridge.gateway.web.api.subscribers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.Untouched;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The calls of the API for webhooks: what each answers, and what is refused. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhooksApiTest {

  private static final String LIST = "/api/v1/webhooks";
  private static final String KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private World world;
  private String url;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
    url = new FakeEndpoint(world.subscriber(), "hook").url();
  }

  @AfterAll
  void stop() {
    world.close();
  }

  @AfterEach
  void removeAll() {
    for (JsonNode one : ok(world.gateway().get(LIST), 200).get("items")) {
      world.gateway().send("DELETE", LIST + "/" + one.get("id").asText());
    }
  }

  private static JsonNode read(HttpResponse<String> answer, int status, String type) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue(type);
    try {
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private static JsonNode ok(HttpResponse<String> answer, int status) {
    return read(answer, status, "application/json");
  }

  private static JsonNode problem(HttpResponse<String> answer, int status) {
    JsonNode problem = read(answer, status, "application/problem+json");
    assertThat(problem.get("status").asInt()).isEqualTo(status);
    assertThat(problem.get("title").asText()).isNotBlank();
    assertThat(problem.get("detail").asText()).isNotBlank();
    return problem;
  }

  private static void assertField(HttpResponse<String> answer, String field) {
    JsonNode error = problem(answer, 400).get("errors").get(0);
    assertThat(error.get("field").asText()).as(answer.body()).isEqualTo(field);
    assertThat(error.get("detail").asText()).isNotBlank();
  }

  private HttpResponse<String> json(String method, String path, String body) {
    return world.gateway().json(method, path, body);
  }

  /** All feeds and vouched for, so that nothing happens by itself. */
  private String add() {
    return add("");
  }

  private String add(String more) {
    return ok(
            json(
                "POST",
                LIST,
                "{\"url\":\"%s\",\"topics\":[\"*\"],\"verified\":true%s}".formatted(url, more)),
            201)
        .get("id")
        .asText();
  }

  private JsonNode get(String id) {
    return ok(world.gateway().get(LIST + "/" + id), 200);
  }

  private HttpResponse<String> patch(String id, String body) {
    return json("PATCH", LIST + "/" + id, body);
  }

  // Success.

  @Test
  void a_new_one_shows_its_secret_and_then_never_again() {
    JsonNode made =
        ok(
            json(
                "POST",
                LIST,
                """
                {"url":"%s","topics":["HTTP://Feeds.example:80/a","http://feeds.example/a"],
                 "secret":"%s","filter":"mars","description":"for the app"}
                """
                    .formatted(url, KEY)),
            201);

    assertThat(made.fieldNames())
        .toIterable()
        .containsExactly(
            "id",
            "url",
            "target",
            "template",
            "topics",
            "filter",
            "every",
            "only",
            "fields",
            "dedupe",
            "description",
            "secret",
            "publicKey",
            "state",
            "createdAt");
    assertThat(made.get("secret").asText()).isEqualTo(KEY);
    assertThat(made.get("state").asText()).isEqualTo("pending");
    assertThat(made.get("topics").toString()).isEqualTo("[\"http://feeds.example/a\"]");
    JsonNode shown = get(made.get("id").asText());
    assertThat(shown.fieldNames())
        .toIterable()
        .containsExactly(
            "id",
            "url",
            "target",
            "template",
            "topics",
            "filter",
            "every",
            "only",
            "fields",
            "dedupe",
            "description",
            "state",
            "reason",
            "nextVerificationAt",
            "failingSince",
            "createdAt",
            "publicKey",
            "secrets",
            "behind",
            "gaps");
    assertThat(shown.get("url").asText()).isEqualTo(url);
    assertThat(shown.get("filter").asText()).isEqualTo("mars");
    assertThat(shown.get("description").asText()).isEqualTo("for the app");
    assertThat(world.gateway().get(LIST).body()).doesNotContain(KEY);
  }

  @Test
  void a_secret_that_is_not_given_is_made() {
    JsonNode made =
        ok(json("POST", LIST, "{\"url\":\"%s\",\"topics\":[\"*\"]}".formatted(url)), 201);

    assertThat(made.get("secret").asText()).startsWith("whsec_").hasSizeGreaterThan(40);
    assertThat(made.get("topics").toString()).isEqualTo("[\"*\"]");
  }

  @Test
  void the_list_comes_in_parts_and_by_state_and_topic() {
    String first = add();
    String second = add();
    String third =
        ok(
                json(
                    "POST",
                    LIST,
                    "{\"url\":\"%s\",\"topics\":[\"%s\"],\"verified\":true}"
                        .formatted(url, world.origin().rss("listed", "", "old"))),
                201)
            .get("id")
            .asText();
    world.gateway().send("POST", LIST + "/" + second + "/disable");

    List<String> all = new ArrayList<>();
    String next = "";
    do {
      JsonNode part = ok(world.gateway().get(LIST + "?limit=2" + next), 200);
      part.get("items").forEach(item -> all.add(item.get("id").asText()));
      next = part.get("nextCursor").isNull() ? "" : "&cursor=" + part.get("nextCursor").asText();
    } while (!next.isEmpty());

    assertThat(all).containsExactly(first, second, third);
    assertThat(ids("?state=disabled")).containsExactly(second);
    assertThat(
            ids(
                "?topic="
                    + URLEncoder.encode(world.origin().url("listed"), StandardCharsets.UTF_8)))
        .as("of the topic, or of all feeds")
        .containsExactly(first, second, third);
    assertThat(ids("?topic=http://other.example/")).containsExactly(first, second);
  }

  private List<String> ids(String query) {
    return ok(world.gateway().get(LIST + query), 200).get("items").findValuesAsText("id");
  }

  @Test
  void they_come_last_among_the_subscriptions_of_all_protocols() {
    String topic = world.origin().rss("subscribed", "", "old");
    world.subscribe(topic, "websub");
    String one = add();
    String other = add();
    String list = "/api/v1/subscriptions?limit=";

    JsonNode part = ok(world.gateway().get(list + 2), 200);
    JsonNode rest =
        ok(world.gateway().get(list + 2 + "&cursor=" + part.get("nextCursor").asText()), 200);

    assertThat(part.get("items").findValuesAsText("protocol")).containsExactly("websub", "webhook");
    assertThat(part.get("items").get(1).get("id").asText()).isEqualTo("webhook-" + one);
    assertThat(part.get("items").get(1).get("topic").asText()).isEqualTo("*");
    assertThat(rest.get("items").findValuesAsText("id")).containsExactly("webhook-" + other);
    assertThat(rest.get("nextCursor").isNull()).isTrue();
    for (String query : List.of("protocol=webhook", "state=active&protocol=webhook")) {
      assertThat(
              ok(world.gateway().get("/api/v1/subscriptions?" + query), 200)
                  .get("items")
                  .findValuesAsText("id"))
          .containsExactly("webhook-" + one, "webhook-" + other);
    }
    for (String query : List.of("protocol=websub", "state=disabled", "state=lagging")) {
      assertThat(
              ok(world.gateway().get("/api/v1/subscriptions?" + query), 200)
                  .get("items")
                  .findValuesAsText("id"))
          .doesNotContain("webhook-" + one);
    }
    world.gateway().send("DELETE", "/api/v1/subscriptions/1");
  }

  @Test
  void L13_what_left_the_log_before_it_was_sent_is_shown_as_a_gap() {
    String id = add();
    Consumers consumers = world.gateway().store().consumers();
    LogConsumer consumer = consumers.byName(Webhook.consumer(Long.parseLong(id))).orElseThrow();
    Instant at = Instant.parse("2026-11-22T10:00:00Z");
    long begin = consumer.cursor();
    for (int i = 1; i <= Gaps.SHOWN + 1; i++) {
      consumers.skip(consumer, begin + i, at).join();
      consumer = consumer.at(begin + i, at);
    }

    JsonNode gaps = get(id).get("gaps");

    assertThat(gaps).hasSize(Gaps.SHOWN);
    JsonNode newest = gaps.get(0);
    assertThat(newest.get("after").asLong()).isEqualTo(begin + Gaps.SHOWN);
    assertThat(newest.get("upTo").asLong()).isEqualTo(begin + Gaps.SHOWN + 1);
    assertThat(newest.get("events").isNull()).isTrue();
    assertThat(newest.get("at").asText()).isEqualTo("2026-11-22T10:00:00Z");
    assertThat(newest.get("reason").asText()).isEqualTo("retention");
    assertThat(ok(world.gateway().get("/api/v1/subscriptions/webhook-" + id), 200).get("gaps"))
        .isEqualTo(gaps);
  }

  @Test
  void what_is_not_named_stays_as_it_is_and_null_is_none() {
    String id = add(",\"filter\":\"mars\",\"description\":\"one\"");

    JsonNode changed = ok(patch(id, "{\"description\":\"two\"}"), 200);

    assertThat(changed.get("description").asText()).isEqualTo("two");
    assertThat(changed.get("filter").asText()).isEqualTo("mars");
    assertThat(changed.get("url").asText()).isEqualTo(url);
    JsonNode none = ok(patch(id, "{\"filter\":null,\"description\":null}"), 200);
    assertThat(none.get("filter").isNull()).isTrue();
    assertThat(none.get("description").isNull()).isTrue();
    assertThat(none.get("state").asText()).isEqualTo("active");
    assertThat(ok(patch(id, "{}"), 200)).isEqualTo(none);
  }

  @Test
  void the_other_calls_answer_with_what_it_is_then() {
    String id = add();

    for (String call : List.of("disable", "disable", "enable", "enable")) {
      JsonNode answer = ok(world.gateway().send("POST", LIST + "/" + id + "/" + call), 200);
      assertThat(answer.get("state").asText())
          .isEqualTo(call.equals("enable") ? "active" : "disabled");
    }
    ok(world.gateway().send("POST", LIST + "/" + id + "/retry"), 202);
    JsonNode rotated =
        ok(json("POST", LIST + "/" + id + "/rotate-secret", "{\"secret\":\"" + KEY + "\"}"), 200);
    assertThat(rotated.get("secret").asText()).isEqualTo(KEY);
    assertThat(world.gateway().send("DELETE", LIST + "/" + id).statusCode()).isEqualTo(204);
    problem(world.gateway().send("DELETE", LIST + "/" + id), 404);
  }

  private boolean isActive(String topic) {
    for (JsonNode one : ok(world.gateway().get("/api/v1/feeds?limit=500"), 200).get("items")) {
      if (one.get("url").asText().equals(topic)) {
        return one.get("state").asText().equals("active");
      }
    }
    return false;
  }

  @Test
  void events_of_the_gateway_are_named_by_their_types_and_come_to_no_other_webhook() {
    String id = add();
    new FakeEndpoint(world.subscriber(), "ops");
    String ops = world.subscriber().url("ops");
    String asked =
        "{\"url\":\"%s\",\"topics\":[\"gateway.webhook.disabled\",\"gateway.feed.gone\"]}";
    String own = ok(json("POST", LIST, asked.formatted(ops)), 201).get("id").asText();
    World.until(() -> get(own).get("state").asText().equals("active"));
    assertThat(get(own).get("topics").toString())
        .isEqualTo("[\"gateway.feed.gone\",\"gateway.webhook.disabled\"]");
    assertField(patch(own, "{\"topics\":[\"gateway.none\"]}"), "topics");
    ok(patch(own, "{\"topics\":[\"gateway.*\"]}"), 200);
    World.until(() -> isActive("gateway:events"));

    String gone = world.origin().rss("gone.xml", "");
    ok(json("POST", LIST, asked.replace("gateway.feed.gone", gone).formatted(url)), 201);
    World.until(() -> isActive(gone));
    world.origin().fail("gone.xml", 410);
    world.publish(gone);

    World.until(() -> world.subscriber().bodies("ops").size() > 1);
    assertThat(world.subscriber().bodies("ops").get(1))
        .startsWith("{\"type\":\"gateway.feed.gone\",")
        .contains("\"permalinkUrl\":\"" + gone + "\"");
    assertThat(get(id).get("topics").toString()).isEqualTo("[\"*\"]");
    assertThat(world.subscriber().bodies("hook")).noneMatch(body -> body.contains("gateway.feed"));
    assertThat(
            world
                .gateway()
                .form(
                    "/hub",
                    "hub.mode",
                    "subscribe",
                    "hub.topic",
                    "gateway:events",
                    "hub.callback",
                    world.subscriber().url("stranger"))
                .statusCode())
        .isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource({
    "discord,/hooks/1/s3cret,/hooks/1/",
    "slack,/services/T/B/s3cret,/services/T/B/",
    "mattermost,/hooks/s3cret,/hooks/",
    "gotify,/?token=s3cret,/"
  })
  void a_token_in_the_URL_of_a_chat_is_taken_out_of_it_and_shown_no_more(
      String target, String path, String shown) {
    String host = "http://127.0.0.1:8999";
    String asked = "{\"url\":\"%s\",\"target\":\"%s\",\"topics\":[\"*\"]}";

    JsonNode made = ok(json("POST", LIST, asked.formatted(host + path, target)), 201);

    assertThat(made.get("url").asText()).isEqualTo(host + shown);
    assertThat(made.get("target").asText()).isEqualTo(target);
    assertThat(made.get("secret").isNull()).isTrue();
    String id = made.get("id").asText();
    assertThat(get(id).get("secrets")).isEmpty();
    assertThat(world.gateway().get(LIST).body()).doesNotContain("s3cret");
    List<String> rows = world.gateway().rows().query("SELECT url, target FROM webhook");
    assertThat(rows.toString()).doesNotContain("s3cret");
    JsonNode same = ok(patch(id, "{\"url\":\"%s\"}".formatted(host + shown)), 200);
    assertThat(same.get("url").asText()).isEqualTo(host + shown);
    assertField(
        patch(id, "{\"url\":\"http://127.0.0.2:8999/\"}"),
        target.equals("gotify") ? "token" : "url");
    problem(world.gateway().send("POST", LIST + "/" + id + "/rotate-secret"), 409);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "'target':'fax';target",
        "'target':'standard','token':'t';token",
        "'target':'slack','token':'t';token",
        "'target':'matrix','token':'t';url",
        "'target':'gotify';token",
        "'target':'template';template",
        "'target':'template','template':'{{#a}}';template",
        "'target':'template','template':'{\"a\": {{title}}}';template",
        "'target':'cloudevents','template':'{}';template",
        "'target':'ntfy','token':'a b';token"
      })
  void a_target_that_cannot_be_is_refused_with_its_field(String fields, String field) {
    String more = fields.replace("\"", "\\\"").replace('\'', '"');

    assertField(
        json("POST", LIST, "{\"url\":\"%s\",\"topics\":[\"*\"],%s}".formatted(url, more)), field);

    assertThat(world.gateway().get(LIST).body()).contains("\"items\":[]");
  }

  @Test
  void a_preview_has_the_message_that_the_newest_entry_makes() {
    String asked =
        "{\"topics\":[\"*\"],\"target\":\"template\",\"template\":\"New: {{#items}}{{title}}{{/items}}\"}";

    JsonNode preview = ok(json("POST", LIST + "/preview", asked), 200);

    assertThat(preview.get("messages").get(0).asText()).startsWith("New: ");
    assertField(
        json("POST", LIST + "/preview", "{\"topics\":[\"*\"],\"target\":\"template\"}"),
        "template");
  }

  @Test
  void one_that_signs_with_a_private_key_shows_the_public_key_alone() {
    String asked = "{\"url\":\"%s\",\"topics\":[\"*\"],\"signature\":\"v1a\"}".formatted(url);

    JsonNode made = ok(json("POST", LIST, asked), 201);

    String id = made.get("id").asText();
    String key = made.get("publicKey").asText();
    assertThat(key).startsWith("whpk_");
    assertThat(made.get("secret").isNull()).isTrue();
    assertThat(get(id).get("publicKey").asText()).isEqualTo(key);
    assertThat(key).contains(get(id).at("/secrets/0/lastCharacters").asText());
    assertThat(world.gateway().get(LIST).body()).doesNotContain("whsk_");
  }

  @Test
  void a_rotation_changes_the_scheme_if_it_says_so_and_keeps_it_if_not() {
    String id = add();
    String path = LIST + "/" + id + "/rotate-secret";

    JsonNode pair = ok(json("POST", path, "{\"signature\":\"v1a\"}"), 200);
    JsonNode other = ok(world.gateway().send("POST", path), 200);
    JsonNode shared = ok(json("POST", path, "{\"signature\":\"v1\"}"), 200);

    assertThat(pair.get("publicKey").asText()).startsWith("whpk_");
    assertThat(other.get("publicKey").asText())
        .startsWith("whpk_")
        .isNotEqualTo(pair.get("publicKey").asText());
    assertThat(shared.get("secret").asText()).startsWith("whsec_");
    assertThat(shared.get("publicKey").isNull()).isTrue();
    assertThat(get(id).get("secrets")).hasSize(4);
  }

  @Test
  void too_many_rotations_in_a_day_are_409_so_that_each_secret_has_its_time() {
    String id = add();
    for (int i = 0; i < 4; i++) {
      ok(world.gateway().send("POST", LIST + "/" + id + "/rotate-secret"), 200);
    }

    problem(world.gateway().send("POST", LIST + "/" + id + "/rotate-secret"), 409);
  }

  @Test
  void one_that_is_not_verified_cannot_be_tested() {
    new FakeEndpoint(world.subscriber(), "never").onChallenge(500, "");
    String id =
        ok(
                json(
                    "POST",
                    LIST,
                    "{\"url\":\"%s\",\"topics\":[\"*\"]}"
                        .formatted(world.subscriber().url("never"))),
                201)
            .get("id")
            .asText();

    problem(world.gateway().send("POST", LIST + "/" + id + "/test"), 409);
  }

  // What is refused.

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "url         | {\"topics\":[\"*\"]}",
        "url         | {\"url\":null,\"topics\":[\"*\"]}",
        "url         | {\"url\":5,\"topics\":[\"*\"]}",
        "url         | {\"url\":\"hook\",\"topics\":[\"*\"]}",
        "url         | {\"url\":\"ftp://app.example/\",\"topics\":[\"*\"]}",
        "url         | {\"url\":\"http://me:pw@app.example/\",\"topics\":[\"*\"]}",
        "url         | {\"url\":\"http://app.example/#x\",\"topics\":[\"*\"]}",
        "url         | {\"url\":\"http://app.example/\\u000d\\u000aX: y\",\"topics\":[\"*\"]}",
        "topics      | {\"url\":\"http://app.example/\"}",
        "topics      | {\"url\":\"http://app.example/\",\"topics\":null}",
        "topics      | {\"url\":\"http://app.example/\",\"topics\":[]}",
        "topics      | {\"url\":\"http://app.example/\",\"topics\":\"*\"}",
        "topics      | {\"url\":\"http://app.example/\",\"topics\":[5]}",
        "topics      | {\"url\":\"http://app.example/\",\"topics\":[null]}",
        "topics      | {\"url\":\"http://app.example/\",\"topics\":[\"news\"]}",
        "topics      | {\"url\":\"http://app.example/\",\"topics\":[\"*\",\"http://a.example/\"]}",
        "secret      | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"secret\":\"mine\"}",
        "secret      | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"secret\":7}",
        "secret      | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"secret\":\"whsec_AAAA\"}",
        "filter      | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"filter\":\"mars AND\"}",
        "filter      | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"filter\":\"\"}",
        "filter      | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"filter\":true}",
        "description | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"description\":[]}",
        "description | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"description\":\"a\\nb\"}",
        "verified    | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"verified\":\"true\"}",
        "verified    | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"verified\":1}",
        "colour      | {\"url\":\"http://app.example/\",\"topics\":[\"*\"],\"colour\":\"red\"}"
      })
  void a_wrong_field_of_a_new_one_is_named_and_nothing_is_added(String field, String body) {
    Untouched before = Untouched.of(world);

    assertField(json("POST", LIST, body), field);

    before.holds();
  }

  @Test
  void L17_a_bridged_feed_stands_for_the_feed_itself_and_one_of_one_is_refused() {
    String bridged = world.gateway().url("/feed.rss?url=http%3A%2F%2Ffeeds.example%2Fa");
    String body =
        "{\"url\":\"%s\",\"verified\":true,\"topics\":[\"%s\",\"http://feeds.example/a\"]}";

    JsonNode made = ok(json("POST", LIST, body.formatted(url, bridged)), 201);

    assertThat(made.get("topics").toString()).isEqualTo("[\"http://feeds.example/a\"]");
    String twice =
        world.gateway().url("/feed.rss?url=") + URLEncoder.encode(bridged, StandardCharsets.UTF_8);
    assertField(json("POST", LIST, body.formatted(url, twice)), "topics");
  }

  private String listing(String... urls) throws IOException {
    String opml =
        new String(
            Opml.write("x", Stream.of(urls).map(one -> new Outline(one, "A title")).toList()),
            StandardCharsets.UTF_8);
    return "\"opml\":" + new ObjectMapper().writeValueAsString(opml);
  }

  @Test
  void a_feed_of_a_list_that_cannot_be_followed_is_named_with_its_place_and_the_rest_is_followed()
      throws IOException {
    String list = listing("http://feeds.example/a", "feed.xml", "http://feeds.example/c");
    String body = "{\"url\":\"" + url + "\",\"verified\":true," + list + "}";

    JsonNode made = ok(json("POST", LIST, body), 201);

    assertThat(made.get("topics").toString())
        .isEqualTo("[\"http://feeds.example/a\",\"http://feeds.example/c\"]");
    assertThat(made.get("refused")).hasSize(1);
    assertThat(made.at("/refused/0/number").asInt()).isEqualTo(2);
    assertThat(made.at("/refused/0/url").asText()).isEqualTo("feed.xml");
    assertThat(made.at("/refused/0/title").asText()).isEqualTo("A title");
    assertThat(made.at("/refused/0/reason").asText())
        .isEqualTo("its URL must be an absolute http or https URL");
    String id = made.get("id").asText();
    JsonNode changed = ok(patch(id, "{" + listing("x", "http://feeds.example/d") + "}"), 200);
    assertThat(changed.get("topics").toString()).isEqualTo("[\"http://feeds.example/d\"]");
    assertThat(changed.at("/refused/0/number").asInt()).isEqualTo(1);
    assertThat(get(id).has("refused")).isFalse();
    String none = "{\"url\":\"" + url + "\",\"verified\":true," + listing("x", "y") + "}";
    assertThat(json("POST", LIST, none).body())
        .contains("no feed of the list can be followed; feed 1, 'x': its URL must be an absolute");
  }

  @Test
  void a_line_of_a_list_that_names_no_feed_is_no_feed_of_the_webhook() throws IOException {
    String list =
        new ObjectMapper()
            .writeValueAsString(
                "<opml><body><outline text='A note'/>"
                    + "<outline text='A' xmlUrl='http://feeds.example/a'/></body></opml>");

    JsonNode made =
        ok(
            json("POST", LIST, "{\"url\":\"" + url + "\",\"verified\":true,\"opml\":" + list + "}"),
            201);

    assertThat(made.get("topics").toString()).isEqualTo("[\"http://feeds.example/a\"]");
    assertThat(made.has("refused")).isFalse();
  }

  @Test
  void deliveries_are_listed_under_webhooks_as_under_subscriptions() {
    String id = add();
    assertThat(ok(world.gateway().get(LIST + "/" + id + "/deliveries"), 200).get("items"))
        .isEmpty();
    for (int i = 0; i < 2; i++) {
      assertThat(json("POST", LIST + "/" + id + "/test", "").statusCode()).isEqualTo(200);
    }

    JsonNode all = ok(world.gateway().get(LIST + "/" + id + "/deliveries"), 200);

    assertThat(all.get("items").findValuesAsText("kind")).containsExactly("test", "test");
    assertThat(all)
        .isEqualTo(
            ok(world.gateway().get("/api/v1/subscriptions/webhook-" + id + "/deliveries"), 200));
    JsonNode first = ok(world.gateway().get(LIST + "/" + id + "/deliveries?limit=1"), 200);
    assertThat(first.at("/items/0")).isEqualTo(all.at("/items/0"));
    String next = LIST + "/" + id + "/deliveries?cursor=" + first.get("nextCursor").asText();
    assertThat(ok(world.gateway().get(next), 200).at("/items/0")).isEqualTo(all.at("/items/1"));
    problem(world.gateway().get(LIST + "/987654321/deliveries"), 404);
  }

  @Test
  void an_OPML_list_stands_for_its_feeds() throws IOException {
    String body = "{\"url\":\"" + url + "\",\"verified\":true,%s}";
    String list = listing("HTTP://Feeds.example:80/a", "http://feeds.example/b");

    JsonNode made = ok(json("POST", LIST, body.formatted(list)), 201);

    assertThat(made.get("topics").toString())
        .isEqualTo("[\"http://feeds.example/a\",\"http://feeds.example/b\"]");
    String id = made.get("id").asText();
    String other = "{" + listing("http://feeds.example/c") + "}";
    assertThat(ok(patch(id, other), 200).get("topics").toString())
        .isEqualTo("[\"http://feeds.example/c\"]");
    assertThat(ok(patch(id, "{\"filter\":\"x\"}"), 200).get("topics")).hasSize(1);
    Untouched before = Untouched.of(world);
    for (String wrong :
        List.of(
            listing(),
            listing("ftp://feeds.example/"),
            listing("http://feeds.example/d") + ",\"topics\":[\"*\"]",
            listing(
                IntStream.rangeClosed(0, 1_000)
                    .mapToObj(i -> "http://feeds.example/" + i)
                    .toArray(String[]::new)),
            "\"opml\":\"<rss/>\"")) {
      assertField(json("POST", LIST, body.formatted(wrong)), "opml");
      assertField(patch(id, "{" + wrong + "}"), "opml");
    }
    before.holds();
  }

  @Test
  void a_filter_that_does_not_parse_says_where() {
    HttpResponse<String> answer =
        json(
            "POST",
            LIST,
            "{\"url\":\"%s\",\"topics\":[\"*\"],\"filter\":\"mars OR colour:red\"}".formatted(url));

    assertThat(problem(answer, 400).get("errors").get(0).get("detail").asText())
        .startsWith("character 9: there is no such field");
  }

  @Test
  void what_is_too_much_is_refused() {
    String topics =
        IntStream.rangeClosed(0, 1_000)
            .mapToObj(i -> "\"http://feeds.example/%d\"".formatted(i))
            .collect(Collectors.joining(","));
    assertField(
        json("POST", LIST, "{\"url\":\"%s\",\"topics\":[%s]}".formatted(url, topics)), "topics");
    assertField(
        json(
            "POST",
            LIST,
            "{\"url\":\"%s\",\"topics\":[\"*\"],\"description\":\"%s\"}"
                .formatted(url, "x".repeat(501))),
        "description");
    byte[] large = new byte[10 * 1024 * 1024];
    assertThat(world.gateway().post(LIST, "application/json", large).statusCode()).isEqualTo(413);
    assertThat(world.gateway().post(LIST, "text/plain", new byte[2]).statusCode()).isEqualTo(415);
    assertThat(ids("")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "[]", "{", "{} {}", "\"text\"", "{\"url\":1,\"url\":2}"})
  void what_is_no_JSON_object_is_400(String body) {
    String id = add();
    problem(json("POST", LIST, body), 400);
    problem(patch(id, body), 400);
    problem(json("POST", LIST + "/" + id + "/rotate-secret", body), 400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "url         | {\"url\":\"hook\"}",
        "url         | {\"url\":7}",
        "topics      | {\"topics\":[]}",
        "topics      | {\"topics\":{}}",
        "filter      | {\"filter\":\"(\"}",
        "filter      | {\"filter\":7}",
        "description | {\"description\":{}}",
        "verified    | {\"verified\":\"yes\"}",
        "secret      | {\"secret\":\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"}",
        "state       | {\"state\":\"active\"}",
        "id          | {\"id\":\"7\"}"
      })
  void a_wrong_field_of_a_change_is_named_and_nothing_changes(String field, String body) {
    String id = add(",\"filter\":\"mars\"");
    JsonNode before = get(id);

    assertField(patch(id, body), field);

    assertThat(get(id)).isEqualTo(before);
  }

  @Test
  void a_wrong_secret_is_not_rotated_to() {
    String id = add();
    String path = LIST + "/" + id + "/rotate-secret";
    List<String> secrets = world.gateway().rows().query("SELECT secret, retired FROM webhook");

    assertField(json("POST", path, "{\"secret\":\"mine\"}"), "secret");
    assertField(json("POST", path, "{\"secret\":true}"), "secret");
    assertField(json("POST", path, "{\"signature\":\"v2\"}"), "signature");
    assertField(
        json("POST", path, "{\"secret\":\"%s\",\"signature\":\"v1a\"}".formatted(KEY)),
        "signature");
    assertField(json("POST", path, "{\"colour\":\"red\"}"), "colour");

    assertThat(world.gateway().rows().query("SELECT secret, retired FROM webhook"))
        .isEqualTo(secrets);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, ''",
    "PATCH, ''",
    "DELETE, ''",
    "POST, /rotate-secret",
    "POST, /test",
    "POST, /retry",
    "POST, /enable",
    "POST, /disable",
  })
  void an_id_that_is_none_is_404(String method, String rest) {
    String there = add();
    for (String id :
        List.of("99999", "0", "-1", "x", "webhook-" + there, "pending-1", "99999999999999999999")) {
      String path = LIST + "/" + id + rest;
      HttpResponse<String> answer =
          method.equals("PATCH") ? json(method, path, "{}") : world.gateway().send(method, path);
      problem(answer, 404);
    }
    assertThat(ids("")).containsExactly(there);
  }

  @ParameterizedTest
  @CsvSource({
    "limit,  limit=0",
    "limit,  limit=501",
    "cursor, cursor=!!!",
    "cursor, cursor=bm9uc2Vuc2U",
    "cursor, cursor=d2ViaG9vay0x",
    "state,  state=lagging",
    "topic,  topic=nonsense"
  })
  void a_wrong_parameter_of_the_list_is_named(String parameter, String query) {
    assertField(world.gateway().get(LIST + "?" + query), parameter);
  }

  // The preview of a filter.

  private JsonNode preview(String body) {
    return ok(json("POST", LIST + "/preview", body), 200).get("items");
  }

  @Test
  void a_preview_says_of_the_newest_entries_of_its_topics_which_a_filter_accepts() {
    String topic = world.origin().rss("previewed", "", "mars rises", "venus sets");
    ok(json("POST", "/api/v1/feeds", "{\"url\":\"%s\"}".formatted(topic)), 201);
    World.until(() -> !preview("{\"topics\":[\"%s\"]}".formatted(topic)).isEmpty());
    Untouched before = Untouched.of(world);

    JsonNode found = preview("{\"topics\":[\"%s\"],\"filter\":\"MARS\"}".formatted(topic));

    assertThat(found.findValuesAsText("title"))
        .containsExactly("Title of mars rises", "Title of venus sets");
    assertThat(found.findValuesAsText("matches")).containsExactly("true", "false");
    assertThat(found.findValuesAsText("id")).hasSize(2).doesNotContain("");
    assertThat(
            preview("{\"topics\":[\"%s\"],\"filter\":null}".formatted(topic))
                .findValuesAsText("matches"))
        .containsExactly("true", "true");
    assertThat(preview("{\"topics\":[\"*\"],\"filter\":\"mars\"}").findValuesAsText("title"))
        .contains("Title of mars rises");
    assertThat(preview("{\"topics\":[\"http://nowhere.example/feed\"]}")).isEmpty();
    before.holds();
  }

  @Test
  void a_preview_names_a_filter_or_topics_that_are_wrong() {
    assertField(json("POST", LIST + "/preview", "{\"topics\":[\"*\"],\"filter\":\"(\"}"), "filter");
    assertField(json("POST", LIST + "/preview", "{\"filter\":\"mars\"}"), "topics");
    assertField(json("POST", LIST + "/preview", "{\"topics\":[\"x\"]}"), "topics");
  }
}
