package io.feedbridge.gateway.web.hub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The calls of Superfeedr's Ruby client (rack-superfeedr) in its wire form, each with the answer
 * that the client's own tests expect, search apart: credentials as a field, in base64 with line
 * breaks; reading calls by GET; a callback below the client's base path.
 */
class RackSuperfeedrTest {

  /** Ruby breaks base64 after so many characters. */
  private static final int LINE = 60;

  private static final String BASE = "superfeedr/";

  private World world;
  private final Http http = new Http();
  private String credentials = "";
  private String topic = "";

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.on(data);
    String login = "a-login-that-is-long-enough-for-a-line-break";
    String token =
        world
            .gateway()
            .addToken(login, Right.SUBSCRIBE, Right.UNSUBSCRIBE, Right.LIST, Right.RETRIEVE);
    credentials =
        Base64.getMimeEncoder(LINE, new byte[] {'\n'})
            .encodeToString((login + ":" + token).getBytes(UTF_8));
    assertThat(credentials).contains("\n");
    topic = world.origin().rss("feed", "", "5", "4", "3", "2", "1");
    for (String id : List.of("refuse-subscribe", "refuse-unsubscribe")) {
      world.subscriber().onQuestion(BASE + id, RackSuperfeedrTest::refuse);
    }
  }

  /** As the client does where its application does not accept the request. */
  private static CompletionStage<Response> refuse(Request question) {
    return CompletableFuture.completedFuture(Response.text(404, "not valid"));
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private String[] call(String mode, String id, String... more) {
    List<String> call =
        new ArrayList<>(
            List.of(
                "hub.topic",
                topic,
                "hub.callback",
                world.subscriber().url(BASE + id),
                "authorization",
                credentials));
    call.addAll(List.of(more));
    call.addAll(List.of("hub.mode", mode));
    return call.toArray(String[]::new);
  }

  private HttpResponse<String> subscribe(String id, String... more) {
    List<String> all = new ArrayList<>(List.of(more));
    all.addAll(List.of("hub.secret", "a secret"));
    return world.gateway().form("/hub", call("subscribe", id, all.toArray(String[]::new)));
  }

  private HttpResponse<String> unsubscribe(String id, String... more) {
    return world.gateway().form("/hub", call("unsubscribe", id, more));
  }

  private HttpResponse<String> get(String... query) {
    return http.get(world.gateway().url("/hub?" + Http.encode(query)));
  }

  private static void assertStatus(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
  }

  private static JsonNode json(HttpResponse<String> answer) throws IOException {
    assertStatus(answer, 200);
    return new ObjectMapper().readTree(answer.body());
  }

  @Test
  void subscriptions_are_listed_with_their_details() throws IOException {
    assertStatus(subscribe("12345"), 204);

    JsonNode list = json(get("hub.mode", "list", "detailed", "true", "authorization", credentials));

    assertThat(list.at("/subscriptions/0/subscription/feed/url").asText()).isEqualTo(topic);
  }

  @Test
  void a_subscription_is_204_and_one_that_is_to_be_verified_as_its_callback_says() {
    assertStatus(subscribe("12345"), 204);
    assertStatus(subscribe("accept-subscribe", "hub.verify", "sync"), 204);
    assertThat(world.subscriber().asked(BASE + "accept-subscribe")).hasSize(1);
    assertStatus(subscribe("refuse-subscribe", "hub.verify", "sync"), 422);
    assertThat(world.subscriber().asked(BASE + "refuse-subscribe")).hasSize(1);
    assertStatus(subscribe("refuse-subscribe", "hub.verify", "async"), 202);
  }

  @Test
  void a_subscription_that_retrieves_is_answered_by_the_document() throws IOException {
    HttpResponse<String> atom = subscribe("1234", "retrieve", "true");
    assertStatus(atom, 200);
    assertThat(atom.headers().firstValue("Content-Type")).hasValue("application/atom+xml");
    assertThat(atom.body()).contains("<feed ");

    HttpResponse<String> json = subscribe("1234", "format", "json", "retrieve", "true");
    assertThat(json(json).has("status")).isTrue();
    assertThat(json.headers().firstValue("Content-Type"))
        .hasValue("application/json; charset=utf-8");
  }

  @Test
  void an_unsubscription_is_204_and_one_that_is_to_be_verified_as_its_callback_says() {
    for (String id : List.of("12345", "accept-unsubscribe", "refuse-unsubscribe")) {
      assertStatus(subscribe(id), 204);
    }
    assertStatus(unsubscribe("12345"), 204);
    assertStatus(unsubscribe("refuse-unsubscribe", "hub.verify", "sync"), 422);
    assertStatus(unsubscribe("accept-unsubscribe", "hub.verify", "async"), 202);
    world.subscriber().onQuestion(BASE + "accept-unsubscribe", FakeSubscriber::confirm);
    assertStatus(unsubscribe("accept-unsubscribe", "hub.verify", "sync"), 204);
  }

  /** The client names a callback in each call, here one that has no subscription. */
  @Test
  void a_topic_is_retrieved_in_the_format_and_number_that_is_asked_for() throws IOException {
    assertStatus(subscribe("1234"), 204);

    assertStatus(get(call("retrieve", "", "count", "10")), 200);
    assertThat(json(get(call("retrieve", "", "format", "json", "count", "10"))).has("status"))
        .isTrue();
    assertThat(json(get(call("retrieve", "", "format", "json", "count", "3"))).path("items"))
        .hasSize(3);
  }

  @Test
  void past_notifications_are_replayed() {
    assertStatus(subscribe("1234"), 204);
    world.publish(world.origin().rss("feed", "", "6", "5"));
    world.deliveries(BASE + "1234", 1);

    assertStatus(get(call("replay", "1234")), 204);

    world.deliveries(BASE + "1234", 2);
  }
}
