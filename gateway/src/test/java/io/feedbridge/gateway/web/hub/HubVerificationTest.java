package io.feedbridge.gateway.web.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Signed;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Subscribing at the hub: requests, verifications, renewals, leases (rules H1 to H9 and H16). */
class HubVerificationTest {

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

  @Test
  void H1_parameters_that_are_not_known_are_ignored_and_the_same_value_twice_is_one() {
    world.subscribe(
        topic, "one", "hub.topic", topic, "hub.colour", "red", "foo", "", "hub.mode", "subscribe");
  }

  @Test
  void H2_the_answer_is_202_and_does_not_wait_for_the_callback() {
    CompletableFuture<Response> never = new CompletableFuture<>();
    world.subscriber().onQuestion("one", request -> never);

    HttpResponse<String> answer = world.gateway().subscribe(topic, world.subscriber().url("one"));

    assertThat(answer.statusCode()).isEqualTo(202);
    World.until(() -> world.subscriber().asked("one").size() == 1);
    assertThat(world.gateway().rows().count("subscription")).isZero();
    never.complete(Response.text(200, challenge(0)));
    world.awaitSubscription("one");
  }

  /** PuSH 0.3: {@code hub.verify=sync} is preferred when it is listed first. */
  @Nested
  class H2VerifiedBeforeTheAnswer {

    private HttpResponse<String> subscribeNow(String path) {
      return world
          .gateway()
          .subscribe(
              topic,
              world.subscriber().url(path),
              "hub.verify",
              "sync",
              "hub.verify",
              "async",
              "hub.verify_token",
              "mine");
    }

    private void assertNothingIsLeft() {
      assertThat(world.gateway().rows().count("subscription")).isZero();
      assertThat(world.gateway().rows().count("verification")).isZero();
    }

    @Test
    void is_204_and_the_subscription_is_active() {
      assertThat(subscribeNow("one").statusCode()).isEqualTo(204);

      assertThat(world.gateway().rows().count("subscription")).isEqualTo(1);
      assertThat(world.subscriber().asked("one").get(0).query().get("hub.verify_token"))
          .containsExactly("mine");
    }

    @Test
    void of_an_unsubscription_is_204_and_it_is_over() {
      subscribeNow("one");

      HttpResponse<String> answer =
          world
              .gateway()
              .form(
                  "/hub",
                  "hub.mode",
                  "unsubscribe",
                  "hub.topic",
                  topic,
                  "hub.callback",
                  world.subscriber().url("one"),
                  "hub.verify",
                  "sync");

      assertThat(answer.statusCode()).isEqualTo(204);
      assertNothingIsLeft();
    }

    @Test
    void is_a_4xx_with_the_reason_where_the_callback_does_not_confirm() {
      world
          .subscriber()
          .onQuestion("one", request -> CompletableFuture.completedFuture(Response.text(404, "")));

      HttpResponse<String> answer = subscribeNow("one");

      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).contains("answered with status 404", "challenge");
      assertNothingIsLeft();
    }

    @Test
    void is_a_4xx_where_the_callback_is_out_of_reach_and_is_not_tried_again() {
      HttpResponse<String> answer =
          world
              .gateway()
              .subscribe(topic, "http://127.0.0.1:" + FreePort.next(), "hub.verify", "sync");

      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).contains("could not be reached");
      assertNothingIsLeft();
    }

    @Test
    void is_a_4xx_where_the_topic_cannot_be_fetched_and_the_callback_is_told_too() {
      world.origin().fail("feed.xml", 404);

      HttpResponse<String> answer = subscribeNow("one");

      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(answer.body()).contains("cannot be fetched", "404");
      assertThat(world.subscriber().asked("one").get(0).query().get("hub.mode"))
          .containsExactly("denied");
      assertNothingIsLeft();
    }

    @Test
    void is_not_asked_for_by_listing_async_first() {
      HttpResponse<String> answer =
          world
              .gateway()
              .subscribe(
                  topic,
                  world.subscriber().url("one"),
                  "hub.verify",
                  "async",
                  "hub.verify",
                  "sync");

      assertThat(answer.statusCode()).isEqualTo(202);
      world.awaitSubscription("one");
    }
  }

  @Nested
  class H4TheVerification {

    @Test
    void names_mode_topic_challenge_and_lease() {
      world.subscribe(topic, "one");

      Request asked = world.subscriber().asked("one").get(0);
      assertThat(asked.query().keySet())
          .containsExactlyInAnyOrder("hub.mode", "hub.topic", "hub.challenge", "hub.lease_seconds");
      assertThat(asked.query().get("hub.mode")).containsExactly("subscribe");
      assertThat(asked.query().get("hub.topic")).containsExactly(topic);
      assertThat(challenge(0)).hasSizeGreaterThanOrEqualTo(20);
    }

    @Test
    void uses_each_challenge_once() {
      world.subscribe(topic, "one");
      world.gateway().subscribe(topic, world.subscriber().url("one"));
      World.until(() -> world.subscriber().asked("one").size() == 2);

      assertThat(challenge(0)).isNotEqualTo(challenge(1));
    }

    @Test
    void gives_the_verify_token_back() {
      world.subscribe(topic, "one", "hub.verify", "async", "hub.verify_token", "tök en&=+");

      assertThat(world.subscriber().asked("one").get(0).query().get("hub.verify_token"))
          .containsExactly("tök en&=+");
    }

    @Test
    void is_appended_to_the_query_of_the_callback_which_stays_byte_for_byte() {
      String query = "a=%7e%7E+b%20c&hub.topic=mine&hub.mode=&&x";
      world.subscribe(topic, "one?" + query);

      Request asked = world.subscriber().asked("one").get(0);
      assertThat(asked.rawQuery()).startsWith(query + "&hub.mode=subscribe&");
      assertThat(asked.query().get("hub.topic")).containsExactly("mine", topic);
    }

    @Test
    void of_an_unsubscription_names_no_lease() {
      world.subscribe(topic, "one");
      unsubscribe("one");
      World.until(() -> world.subscriber().asked("one").size() == 2);

      Request asked = world.subscriber().asked("one").get(1);
      assertThat(asked.query().get("hub.mode")).containsExactly("unsubscribe");
      assertThat(asked.query().get("hub.topic")).containsExactly(topic);
      assertThat(asked.query()).doesNotContainKey("hub.lease_seconds");
    }
  }

  @Nested
  class H6TheKeyIsTopicAndCallback {

    @Test
    void a_renewal_replaces_secret_lease_and_format_once_verified() {
      world.subscribe(topic, "one", "hub.secret", "old", "hub.lease_seconds", "500000");
      String id = world.gateway().rows().query("SELECT id FROM subscription").get(0);

      renew("hub.secret", "new", "format", "json", "hub.lease_seconds", "600000");

      assertThat(world.gateway().rows().query("SELECT id FROM subscription")).containsExactly(id);
      changed("two", "one");
      Request delivery = world.delivery("one");
      assertThat(Signed.with("new", delivery)).isTrue();
      assertThat(delivery.header("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
    }

    @Test
    void a_renewal_without_a_secret_drops_it() {
      world.subscribe(topic, "one", "hub.secret", "old");

      renew("hub.secret", "");

      changed("two", "one");
      assertThat(world.delivery("one").header("X-Hub-Signature")).isEmpty();
    }

    @Test
    void one_topic_at_two_callbacks_and_two_topics_at_one_are_four_subscriptions() {
      String other = world.origin().rss("other.xml", "", "one");
      world.subscribe(topic, "a");
      world.subscribe(topic, "b");
      world.gateway().subscribe(other, world.subscriber().url("a"));
      world.gateway().subscribe(other, world.subscriber().url("b"));

      World.until(() -> world.gateway().rows().count("subscription") == 4);
    }

    private void renew(String... terms) {
      world.gateway().subscribe(topic, world.subscriber().url("one"), terms);
      World.until(() -> world.subscriber().asked("one").size() == 2);
      world.gateway().settle();
    }
  }

  @ParameterizedTest
  @CsvSource({"'', 864000", "700000, 700000"})
  void H7_the_granted_lease_is_in_the_verification_and_ten_days_unless_asked_for(
      String asked, int granted) {
    world.subscribe(topic, "one", "hub.lease_seconds", asked);

    assertThat(lease()).isEqualTo(granted);
    assertThat(
            world
                .gateway()
                .rows()
                .query("SELECT (lease_ends_at - created_at) / 1000 FROM subscription"))
        .containsExactly(Integer.toString(granted));
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "999999999999", "99999999999999999999999999"})
  void H7_no_lease_is_without_end_and_none_is_over_at_once(String asked) {
    world.subscribe(topic, "one", "hub.lease_seconds", asked);

    assertThat(lease()).isBetween(60, 366 * 86_400);
  }

  @Test
  void H8_a_secret_of_199_bytes_is_accepted_and_used() {
    String secret = "é".repeat(99) + "x";
    world.subscribe(topic, "one", "hub.secret", secret);

    changed("two", "one");

    assertThat(Signed.with(secret, world.delivery("one"))).isTrue();
  }

  @Test
  void H9_unsubscribing_what_does_not_exist_is_verified_and_no_error() {
    assertThat(unsubscribe("one").statusCode()).isEqualTo(202);

    World.until(() -> world.subscriber().asked("one").size() == 1);
    world.gateway().settle();
    assertThat(world.origin().requests("feed.xml")).isEmpty();
    assertThat(world.gateway().rows().count("verification")).isZero();
  }

  @Test
  void an_unsubscription_that_is_confirmed_ends_deliveries() {
    world.subscribe(topic, "one");
    world.subscribe(topic, "two");

    unsubscribe("one");

    World.until(() -> world.gateway().rows().count("subscription") == 1);
    changed("two", "one");
    world.delivery("two");
    assertThat(world.subscriber().received("one")).isEmpty();
  }

  @Test
  void a_feed_that_nobody_wants_any_more_is_let_go_of() {
    world.subscribe(topic, "one");
    unsubscribe("one");
    World.until(() -> world.gateway().rows().count("feed WHERE followed = 1") == 0);
    int fetches = world.origin().requests("feed.xml").size();

    world.publish(topic);

    assertThat(world.origin().requests("feed.xml")).hasSize(fetches);
  }

  @Test
  void L7_of_two_requests_under_way_the_newer_wins() {
    CompletableFuture<Response> first = new CompletableFuture<>();
    world
        .subscriber()
        .onQuestion(
            "one",
            request ->
                world.subscriber().asked("one").size() == 1
                    ? first
                    : FakeSubscriber.confirm(request));
    world.gateway().subscribe(topic, world.subscriber().url("one"), "hub.secret", "first");
    World.until(() -> world.subscriber().asked("one").size() == 1);
    world.gateway().subscribe(topic, world.subscriber().url("one"), "hub.secret", "second");
    world.awaitSubscription("one");

    first.complete(Response.text(200, challenge(0)));

    changed("two", "one");
    assertThat(Signed.with("second", world.delivery("one"))).isTrue();
  }

  @Test
  void H16_percent_encodings_of_a_topic_are_normalised_and_answered_as_they_were_asked() {
    world.origin().rss("~feed.xml", "", "one");
    String spelled = world.origin().url("%7efeed.xml").replace("http:", "HTTP:");
    String normal = world.origin().url("~feed.xml");
    world.subscribe(spelled, "one");

    assertThat(world.subscriber().asked("one").get(0).query().get("hub.topic"))
        .containsExactly(spelled);
    assertThat(world.gateway().rows().query("SELECT topic FROM feed")).containsExactly(normal);
    world.origin().rss("~feed.xml", "", "two", "one");
    world.publish(normal);
    assertThat(world.delivery("one").header("Link"))
        .hasValueSatisfying(link -> assertThat(link).contains("<" + spelled + ">; rel=\"self\""));
  }

  private HttpResponse<String> unsubscribe(String path) {
    return world
        .gateway()
        .form(
            "/hub",
            "hub.mode",
            "unsubscribe",
            "hub.topic",
            topic,
            "hub.callback",
            world.subscriber().url(path));
  }

  private void changed(String... items) {
    world.origin().rss("feed.xml", "", items);
    world.publish(topic);
  }

  private String challenge(int question) {
    List<Request> asked = world.subscriber().asked("one");
    return Http.first(asked.get(question).query(), "hub.challenge");
  }

  private int lease() {
    return Integer.parseInt(
        Http.first(world.subscriber().asked("one").get(0).query(), "hub.lease_seconds"));
  }
}
