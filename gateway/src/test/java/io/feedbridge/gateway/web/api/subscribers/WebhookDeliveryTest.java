package io.feedbridge.gateway.web.api.subscribers;

import static io.feedbridge.gateway.testing.FakeEndpoint.entries;
import static io.feedbridge.gateway.testing.FakeEndpoint.header;
import static io.feedbridge.gateway.testing.FakeEndpoint.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What endpoints are sent, when, and when not, over real sockets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhookDeliveryTest {

  private static final String LIST = "/api/v1/webhooks";

  private World world;
  private int number;
  private String topic;
  private FakeEndpoint endpoint;
  private final List<String> made = new ArrayList<>();

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  @BeforeEach
  void aFeedAndAnEndpoint() {
    number++;
    topic = world.origin().rss("feed" + number, "", "old");
    endpoint = endpoint("endpoint" + number);
  }

  @AfterEach
  void remove() {
    made.forEach(id -> world.gateway().send("DELETE", LIST + "/" + id));
    made.clear();
  }

  private FakeEndpoint endpoint(String path) {
    return new FakeEndpoint(world.subscriber(), path);
  }

  // The API, as far as it is needed here.

  private static JsonNode body(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
    try {
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private JsonNode create(FakeEndpoint to, String more, String... topics) {
    return create(to.url(), more, topics);
  }

  private JsonNode create(String url, String more, String... topics) {
    JsonNode webhook =
        body(
            world
                .gateway()
                .json(
                    "POST",
                    LIST,
                    "{\"url\":\"%s\",\"topics\":[\"%s\"]%s}"
                        .formatted(url, String.join("\",\"", topics), more)));
    made.add(id(webhook));
    world.gateway().settle();
    return webhook;
  }

  private JsonNode active(FakeEndpoint to, String more, String... topics) {
    JsonNode webhook = create(to, more, topics);
    World.until(() -> state(webhook).equals("active"));
    return webhook;
  }

  private static String id(JsonNode webhook) {
    return webhook.get("id").asText();
  }

  private JsonNode get(JsonNode webhook) {
    return body(world.gateway().get(LIST + "/" + id(webhook)));
  }

  private String state(JsonNode webhook) {
    return get(webhook).get("state").asText();
  }

  private JsonNode post(JsonNode webhook, String what) {
    return body(world.gateway().send("POST", LIST + "/" + id(webhook) + "/" + what));
  }

  private JsonNode behind(JsonNode webhook) {
    return get(webhook).get("behind");
  }

  /** The newest first. */
  private void publish(String feed, String... items) {
    world.origin().rss(feed.substring(feed.lastIndexOf('/') + 1), "", items);
    world.publish(feed);
  }

  private static void verify(Request message, String secret) throws WebhookVerificationException {
    new Webhook(secret)
        .verify(
            new String(message.body(), StandardCharsets.UTF_8),
            HttpHeaders.of(message.headers().asMap(), (name, value) -> true));
  }

  // What is sent.

  @Test
  void an_event_is_one_signed_document_of_the_schema() throws Exception {
    JsonNode webhook = active(endpoint, "", topic);

    publish(topic, "new", "old");

    Request message = endpoint.messages(1).get(0);
    verify(message, webhook.get("secret").asText());
    assertThat(entries(message)).containsExactly("new");
    assertThat(json(message).get("status").get("feed").asText()).isEqualTo(topic);
    assertThat(header(message, "Content-Type")).isEqualTo("application/json");
    assertThat(header(message, "User-Agent")).startsWith("Feedbridge/");
    assertThat(Long.parseLong(header(message, "webhook-timestamp")))
        .isCloseTo(Instant.now().getEpochSecond(), within(60L));
    assertThat(header(message, "webhook-id")).startsWith("msg_").doesNotContain(".");
    publish(topic, "newer", "new", "old");
    assertThat(header(endpoint.messages(2).get(1), "webhook-id"))
        .isNotEqualTo(header(message, "webhook-id"));
  }

  @Test
  void two_endpoints_have_ids_of_their_own_for_one_event() {
    FakeEndpoint other = endpoint("other" + number);
    active(endpoint, "", topic);
    active(other, "", topic);

    publish(topic, "new", "old");

    assertThat(header(endpoint.messages(1).get(0), "webhook-id"))
        .isNotEqualTo(header(other.messages(1).get(0), "webhook-id"));
  }

  @Test
  void L8_an_endpoint_of_all_feeds_gets_what_others_follow_and_none_of_before() {
    String other = world.origin().rss("other" + number, "", "old");
    active(endpoint("first" + number), "", topic, other);
    publish(topic, "before", "old");
    active(endpoint, "", "*");

    publish(topic, "new", "before", "old");
    publish(other, "other", "old");

    assertThat(endpoint.messages(2).stream().map(FakeEndpoint::entries))
        .containsExactly(List.of("new"), List.of("other"));
  }

  private boolean isFollowed(String feed) {
    return world.gateway().rows().count("feed WHERE topic = '" + feed + "' AND followed = 1") == 1;
  }

  /** The number of the newest event. */
  private String head() {
    return world.gateway().rows().query("SELECT MAX(seq) FROM event").get(0);
  }

  @Test
  void its_feeds_are_followed_for_it_and_let_go_of_with_it() {
    JsonNode webhook = active(endpoint, "", topic);
    assertThat(isFollowed(topic)).isTrue();

    world.gateway().send("DELETE", LIST + "/" + id(webhook));

    assertThat(isFollowed(topic)).isFalse();
  }

  @Test
  void a_filter_chooses_entries_and_a_document_that_it_leaves_empty_is_not_sent() {
    JsonNode webhook = active(endpoint, ",\"filter\":\"mars OR venus\"", topic);

    publish(topic, "moon", "old");
    publish(topic, "mars", "comet", "moon", "old");

    assertThat(entries(endpoint.messages(1).get(0))).containsExactly("mars");
    body(world.gateway().json("PATCH", LIST + "/" + id(webhook), "{\"filter\":\"language:xx\"}"));
    publish(topic, "venus", "mars", "comet", "moon", "old");
    body(world.gateway().json("PATCH", LIST + "/" + id(webhook), "{\"filter\":null}"));
    World.until(
        () ->
            world
                .gateway()
                .rows()
                .query("SELECT cursor FROM consumer WHERE name = 'webhook-" + id(webhook) + "'")
                .equals(List.of(head())));
    publish(topic, "sun", "venus", "mars", "comet", "moon", "old");
    assertThat(entries(endpoint.messages(2).get(1))).containsExactly("sun");
  }

  @Test
  void L6_a_feed_that_is_named_later_is_sent_from_then_on() {
    String other = world.origin().rss("other" + number, "", "old");
    active(endpoint("first" + number), "", other);
    JsonNode webhook = active(endpoint, "", topic);
    publish(other, "before", "old");

    body(
        world
            .gateway()
            .json(
                "PATCH",
                LIST + "/" + id(webhook),
                "{\"topics\":[\"%s\",\"%s\"]}".formatted(topic, other)));
    publish(other, "after", "before", "old");

    assertThat(entries(endpoint.messages(1).get(0))).containsExactly("after");
  }

  // Verification.

  @Test
  void nothing_is_sent_before_the_challenge_was_given_back_and_the_reason_is_shown()
      throws Exception {
    endpoint.onChallenge(200, "welcome");
    JsonNode webhook = create(endpoint, "", topic);
    World.until(() -> !get(webhook).get("reason").isNull());

    JsonNode pending = get(webhook);
    assertThat(pending.get("state").asText()).isEqualTo("pending");
    assertThat(pending.get("reason").asText())
        .isEqualTo("it answered HTTP 200 without the challenge in the body");
    assertThat(Instant.parse(pending.get("nextVerificationAt").asText())).isAfter(Instant.now());
    publish(topic, "before", "old");
    verify(endpoint.challenges().get(0), webhook.get("secret").asText());

    endpoint.confirm();
    post(webhook, "retry");
    World.until(() -> state(webhook).equals("active"));
    publish(topic, "after", "before", "old");

    assertThat(entries(endpoint.messages(1).get(0))).containsExactly("after");
    assertThat(get(webhook).get("reason").isNull()).isTrue();
    assertThat(json(endpoint.challenges().get(0)).get("challenge"))
        .isNotEqualTo(json(endpoint.challenges().get(1)).get("challenge"));
  }

  @Test
  void one_that_answers_with_an_error_stays_pending() {
    endpoint.onChallenge(404, "who are you");
    JsonNode webhook = create(endpoint, "", topic);

    World.until(() -> !get(webhook).get("reason").isNull());

    assertThat(get(webhook).get("reason").asText()).startsWith("it answered HTTP 404");
    assertThat(state(webhook)).isEqualTo("pending");
  }

  @Test
  void one_that_the_operator_vouches_for_is_not_asked() {
    JsonNode webhook = create(endpoint, ",\"verified\":true", topic);
    assertThat(webhook.get("state").asText()).isEqualTo("active");

    publish(topic, "new", "old");

    endpoint.messages(1);
    assertThat(endpoint.challenges()).isEmpty();
  }

  @Test
  void another_URL_is_asked_before_it_gets_what_was_missed_meanwhile() {
    JsonNode webhook = active(endpoint, "", topic);
    FakeEndpoint other = endpoint("other" + number);
    other.onChallenge(500, "not yet");

    body(
        world
            .gateway()
            .json("PATCH", LIST + "/" + id(webhook), "{\"url\":\"" + other.url() + "\"}"));
    World.until(() -> !get(webhook).get("reason").isNull());
    publish(topic, "new", "old");
    other.confirm();
    post(webhook, "enable");

    assertThat(entries(other.messages(1).get(0))).containsExactly("new");
    assertThat(endpoint.messages()).isEmpty();
  }

  // Secrets.

  @Test
  void after_a_rotation_both_secrets_are_valid() throws Exception {
    JsonNode webhook = active(endpoint, "", topic);
    JsonNode rotated = post(webhook, "rotate-secret");
    String before = webhook.get("secret").asText();
    String now = rotated.get("secret").asText();
    assertThat(now).startsWith("whsec_").isNotEqualTo(before);
    assertThat(Instant.parse(rotated.get("previousSecretsUntil").asText()))
        .isBetween(
            Instant.now().plus(Duration.ofHours(23)), Instant.now().plus(Duration.ofHours(25)));

    publish(topic, "new", "old");

    Request message = endpoint.messages(1).get(0);
    assertThat(header(message, "webhook-signature").split(" ")).hasSize(2);
    for (String secret : List.of(before, now)) {
      assertThatCode(() -> verify(message, secret)).doesNotThrowAnyException();
    }
    assertThatThrownBy(() -> verify(message, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        .isInstanceOf(WebhookVerificationException.class);
  }

  @Test
  void a_secret_that_has_leaked_signs_no_further_message() throws Exception {
    JsonNode webhook = active(endpoint, "", topic);
    post(webhook, "rotate-secret");
    JsonNode valid = get(webhook).get("secrets");
    assertThat(valid).hasSize(2);
    assertThat(webhook.get("secret").asText())
        .endsWith(valid.at("/1/lastCharacters").asText() + "=");
    assertThat(Instant.parse(valid.at("/1/until").asText())).isAfter(Instant.now());

    String now =
        body(world
                .gateway()
                .json(
                    "POST", LIST + "/" + id(webhook) + "/rotate-secret", "{\"endPrevious\":true}"))
            .get("secret")
            .asText();
    assertThat(get(webhook).get("secrets")).hasSize(1);
    publish(topic, "new", "old");
    Request message = endpoint.messages(1).get(0);
    assertThat(header(message, "webhook-signature").split(" ")).hasSize(1);
    assertThatCode(() -> verify(message, now)).doesNotThrowAnyException();

    post(webhook, "rotate-secret");
    String path = LIST + "/" + id(webhook) + "/previous-secrets";
    assertThat(body(world.gateway().send("DELETE", path)).get("secrets")).hasSize(1);
    publish(topic, "newer", "new", "old");
    assertThat(header(endpoint.messages(2).get(1), "webhook-signature").split(" ")).hasSize(1);
  }

  // Failures.

  @Test
  void a_failed_delivery_is_shown_with_its_request_and_its_answer() {
    JsonNode webhook = active(endpoint, "", topic);
    endpoint.onMessage(
        request ->
            CompletableFuture.completedFuture(
                Response.text(500, "no such user").withHeader("X-Trace", "4711")));
    publish(topic, "new", "old");
    String path = LIST + "/" + id(webhook) + "/deliveries";
    World.until(
        () -> body(world.gateway().get(path)).at("/items/0/outcome").asText().equals("refused"));
    String delivery = body(world.gateway().get(path)).at("/items/0/id").asText();

    JsonNode shown = body(world.gateway().get(path + "/" + delivery));
    assertThat(shown.at("/delivery/id").asText()).isEqualTo(delivery);
    assertThat(shown.at("/exchange/request/url").asText()).isEqualTo(endpoint.url());
    assertThat(shown.at("/exchange/request/headers").toString())
        .contains(header(endpoint.messages(1).get(0), "webhook-id"), "webhook-signature");
    assertThat(shown.at("/exchange/answer/status").asInt()).isEqualTo(500);
    assertThat(shown.at("/exchange/answer/body").asText()).isEqualTo("no such user");
    assertThat(shown.at("/exchange/answer/headers").toString()).contains("4711");
    String page =
        world.gateway().get("/webhooks/" + id(webhook) + "/deliveries/" + delivery).body();
    assertThat(page).contains("no such user", "webhook-signature", "X-Trace: 4711");
    assertThat(world.gateway().get(path + "/999999").statusCode()).isEqualTo(404);
  }

  @Test
  void L12_a_retry_repeats_the_document_under_its_id_and_what_came_since_follows() {
    JsonNode webhook = active(endpoint, "", topic);
    endpoint.onMessage(503);
    publish(topic, "one", "old");
    World.until(() -> behind(webhook).path("attempts").asInt() == 1);
    publish(topic, "two", "one", "old");
    assertThat(behind(webhook).get("lastError").asText()).isEqualTo("HTTP 503");
    assertThat(behind(webhook).get("events").asInt()).isEqualTo(2);
    assertThat(get(webhook).get("failingSince").isNull()).isFalse();
    endpoint.onMessage(204);

    post(webhook, "retry");

    List<Request> messages = endpoint.messages(3);
    assertThat(messages.get(1).body()).isEqualTo(messages.get(0).body());
    assertThat(header(messages.get(1), "webhook-id"))
        .isEqualTo(header(messages.get(0), "webhook-id"));
    assertThat(entries(messages.get(2))).containsExactly("two");
    World.until(() -> behind(webhook).isNull());
    World.until(() -> get(webhook).get("failingSince").isNull());
  }

  @Test
  void a_redirect_is_a_failure_and_is_not_followed() {
    JsonNode webhook = active(endpoint, "", topic);
    FakeEndpoint other = endpoint("other" + number);
    endpoint.onMessage(
        request ->
            CompletableFuture.completedFuture(
                Response.empty(307)
                    .withHeader("Location", other.url())
                    .withHeader("Retry-After", "3600")));

    publish(topic, "new", "old");

    World.until(() -> behind(webhook).path("attempts").asInt() == 1);
    assertThat(behind(webhook).get("lastError").asText()).isEqualTo("HTTP 307");
    assertThat(Instant.parse(behind(webhook).get("nextAttemptAt").asText()))
        .isAfter(Instant.now().plus(Duration.ofMinutes(50)));
    assertThat(other.messages()).isEmpty();
  }

  @Test
  void one_that_answers_410_is_disabled_at_once_and_goes_on_from_its_cursor() {
    JsonNode webhook = active(endpoint, "", topic);
    endpoint.onMessage(410);

    publish(topic, "one", "old");

    World.until(() -> state(webhook).equals("disabled"));
    assertThat(get(webhook).get("reason").asText()).isEqualTo("it answered 410 Gone");
    publish(topic, "two", "one", "old");
    assertThat(behind(webhook).get("events").asInt()).isEqualTo(2);
    assertThat(behind(webhook).get("nextAttemptAt").isNull()).isTrue();
    assertThat(world.gateway().get("/log?format=json&kind=drop").body())
        .contains("The webhook is disabled: it answered 410 Gone")
        .doesNotContain(endpoint.url());
    endpoint.onMessage(204);

    assertThat(post(webhook, "enable").get("state").asText()).isEqualTo("active");

    Request message = endpoint.messages(2).get(1);
    assertThat(entries(message)).containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void one_that_is_disabled_by_hand_is_sent_what_it_missed_one_document_a_feed() {
    String other = world.origin().rss("other" + number, "", "old");
    JsonNode webhook = active(endpoint, "", topic, other);
    assertThat(post(webhook, "disable").get("state").asText()).isEqualTo("disabled");
    publish(topic, "one", "old");
    publish(other, "other", "old");
    publish(topic, "two", "one", "old");
    assertThat(endpoint.messages()).isEmpty();

    post(webhook, "enable");

    List<Request> messages = endpoint.messages(2);
    assertThat(entries(messages.get(0))).containsExactly("other");
    assertThat(entries(messages.get(1))).containsExactlyInAnyOrder("one", "two");
    assertThat(header(messages.get(1), "webhook-id"))
        .as("the id is that of the newest event")
        .endsWith("_" + head());
  }

  @Test
  void a_document_of_a_batch_that_was_taken_is_not_sent_again_with_one_that_was_not() {
    String other = world.origin().rss("other" + number, "", "old");
    JsonNode webhook = active(endpoint, "", topic, other);
    post(webhook, "disable");
    publish(topic, "one", "old");
    publish(other, "other", "old");
    publish(topic, "two", "one", "old");
    endpoint.onMessage(
        request ->
            CompletableFuture.completedFuture(
                Response.empty(entries(request).contains("other") ? 204 : 503)));

    post(webhook, "enable");
    World.until(() -> behind(webhook).path("attempts").asInt() == 1);
    endpoint.onMessage(204);
    post(webhook, "retry");

    List<Request> messages = endpoint.messages(3);
    assertThat(messages.stream().map(FakeEndpoint::entries).map(List::size).toList())
        .containsExactly(1, 2, 2);
    assertThat(messages.get(2).body()).isEqualTo(messages.get(1).body());
    publish(topic, "three", "two", "one", "old");
    assertThat(entries(endpoint.messages(4).get(3))).containsExactly("three");
  }

  @Test
  void L8_one_that_hangs_delays_nobody() {
    FakeEndpoint slow = endpoint("slow" + number);
    CompletableFuture<Response> gate = new CompletableFuture<>();
    slow.onMessage(request -> gate);
    active(slow, "", topic);
    active(endpoint, "", topic);

    publish(topic, "one", "old");
    slow.messages(1);
    publish(topic, "two", "one", "old");
    publish(topic, "three", "two", "one", "old");

    assertThat(endpoint.messages(3)).hasSize(3);
    assertThat(slow.messages()).hasSize(1);
    gate.complete(Response.noContent());
  }

  // What is seen of it.

  @Test
  void a_test_event_is_sent_at_once_and_says_what_came_of_it() throws Exception {
    JsonNode webhook = active(endpoint, "", topic);

    JsonNode tested = post(webhook, "test");

    Request message = endpoint.messages(1).get(0);
    verify(message, webhook.get("secret").asText());
    assertThat(json(message).get("type").asText()).isEqualTo("endpoint.test");
    assertThat(tested.get("messageId").asText()).isEqualTo(header(message, "webhook-id"));
    assertThat(tested.get("delivered").asBoolean()).isTrue();
    assertThat(tested.get("status").asInt()).isEqualTo(204);
    endpoint.onMessage(500);
    JsonNode failed = post(webhook, "test");
    assertThat(failed.get("delivered").asBoolean()).isFalse();
    assertThat(failed.get("error").asText()).isEqualTo("HTTP 500");
    assertThat(state(webhook)).isEqualTo("active");
  }

  @Test
  void it_is_one_of_the_subscriptions_with_what_it_was_sent() {
    JsonNode webhook = active(endpoint, "", topic);
    endpoint.onMessage(503);
    publish(topic, "one", "old");
    World.until(() -> behind(webhook).path("attempts").asInt() == 1);
    String path = "/api/v1/subscriptions/webhook-" + id(webhook);

    JsonNode one = body(world.gateway().get(path));
    JsonNode deliveries = body(world.gateway().get(path + "/deliveries")).get("items");

    assertThat(one.get("protocol").asText()).isEqualTo("webhook");
    assertThat(one.get("topic").asText()).isEqualTo(topic);
    assertThat(one.get("callback").asText()).isEqualTo(endpoint.url());
    assertThat(one.get("state").asText()).isEqualTo("lagging");
    assertThat(one.get("behind").get("events").asInt()).isEqualTo(1);
    assertThat(deliveries.findValuesAsText("kind")).containsExactly("log", "verification");
    assertThat(deliveries.findValuesAsText("outcome")).containsExactly("refused", "delivered");
    assertThat(deliveries.get(0).get("attempt").asInt()).isEqualTo(1);
    endpoint.onMessage(204);
    HttpResponse<String> retried = world.gateway().send("POST", path + "/retry");
    assertThat(retried.statusCode()).isEqualTo(202);
    endpoint.messages(2);
    assertThat(world.gateway().send("DELETE", path).statusCode()).isEqualTo(204);
    assertThat(world.gateway().get(path).statusCode()).isEqualTo(404);
    assertThat(
            world
                .gateway()
                .meter("feedbridge_deliveries_total{outcome=\"refused\",protocol=\"webhook\"}"))
        .isPositive();
  }

  // Restarts.

  @Test
  void L16_cursors_verifications_and_states_outlive_a_restart(@TempDir Path data) {
    FakeEndpoint failing = endpoint("failing");
    FakeEndpoint disabled = endpoint("disabled");
    FakeEndpoint pending = endpoint("pending");
    pending.onChallenge(500, "");
    World shared = world;
    JsonNode one;
    JsonNode two;
    JsonNode three;
    try (TestGateway first = TestGateway.on(data)) {
      world = around(first, shared);
      one = active(failing, "", topic);
      two = active(disabled, "", topic);
      three = create(pending, "", topic);
      failing.onMessage(503);
      post(two, "disable");
      publish(topic, "one", "old");
      World.until(() -> behind(one).path("attempts").asInt() == 1);
      World.until(() -> !get(three).get("reason").isNull());
    } finally {
      world = shared;
    }
    failing.onMessage(503);
    TestGateway.change(data, "UPDATE webhook SET failing_since = failing_since - 432000000");
    try (TestGateway second = TestGateway.on(data)) {
      world = around(second, shared);
      assertThat(state(two)).isEqualTo("disabled");
      assertThat(state(three)).isEqualTo("pending");
      pending.confirm();
      post(three, "retry");
      World.until(() -> state(three).equals("active"));
      post(two, "enable");
      assertThat(entries(disabled.messages(1).get(0))).containsExactly("one");

      // For five days nothing got through.
      World.until(
          () -> {
            post(one, "retry");
            return state(one).equals("disabled");
          });

      assertThat(get(one).get("reason").asText()).isEqualTo("every delivery failed for 5 days");
      failing.onMessage(204);
      int before = failing.messages().size();
      post(one, "enable");
      assertThat(entries(failing.messages(before + 1).get(before))).containsExactly("one");
      assertThat(header(failing.messages().get(before), "webhook-id"))
          .isEqualTo(header(failing.messages().get(0), "webhook-id"));
    } finally {
      world = shared;
      made.clear();
    }
  }

  private static World around(TestGateway gateway, World shared) {
    return new World(shared.origin(), shared.hub(), shared.cloud(), shared.subscriber(), gateway);
  }

  @Test
  void an_address_that_may_not_be_called_is_not_and_it_is_not_tried_again(@TempDir Path data) {
    World shared = world;
    try (TestGateway strict =
        TestGateway.with(data, TestGateway.LOOPBACK, List.of(), Duration.ofHours(1))) {
      world = around(strict, shared);
      // An address that stands in the URL is refused before.
      JsonNode webhook = create(endpoint.url().replace("127.0.0.1", "localhost"), "", topic);

      World.until(() -> !get(webhook).get("reason").isNull());

      assertThat(get(webhook).get("reason").asText()).startsWith("it could not be reached");
      assertThat(get(webhook).get("nextVerificationAt").isNull()).isTrue();
      assertThat(endpoint.challenges()).isEmpty();
    } finally {
      world = shared;
      made.clear();
    }
  }

  @Test
  void a_secret_is_shown_once() {
    JsonNode webhook = active(endpoint, "", topic);
    String secret = webhook.get("secret").asText();

    for (String path : List.of("", "/" + id(webhook))) {
      assertThat(world.gateway().get(LIST + path).body()).doesNotContain(secret);
    }
    assertThat(world.gateway().get("/api/v1/subscriptions?protocol=webhook").body())
        .contains("webhook-" + id(webhook))
        .doesNotContain(secret);
  }
}
