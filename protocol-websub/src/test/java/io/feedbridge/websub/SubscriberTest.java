package io.feedbridge.websub;

import static io.feedbridge.websub.Forms.decode;
import static io.feedbridge.websub.Forms.form;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a subscriber, and a publisher, says to a hub, and what it makes of the answers. */
class SubscriberTest {
  private static final String TOPIC = "https://publisher.example/feed";
  private static final ExpectedIntent WANTED =
      new ExpectedIntent(SubscriptionMode.SUBSCRIBE, TOPIC, "token");

  @Nested
  class S3_the_request {
    @Test
    void S3_to_subscribe_has_what_hubs_of_every_age_want() {
      SubscriptionForm form =
          SubscriptionForm.subscribe(
              "https://s.example/cb/1?x=y", TOPIC, "tok", Duration.ofDays(7), Optional.of("s&s"));
      assertThat(form.body())
          .isEqualTo(
              "hub.callback=https%3A%2F%2Fs.example%2Fcb%2F1%3Fx%3Dy&hub.mode=subscribe"
                  + "&hub.topic=https%3A%2F%2Fpublisher.example%2Ffeed"
                  + "&hub.verify=async&hub.verify=sync&hub.verify_token=tok"
                  + "&hub.lease_seconds=604800&hub.secret=s%26s");
    }

    @Test
    void S3_is_made_again_without_a_secret_for_a_hub_that_never_signs() {
      SubscriptionForm form =
          SubscriptionForm.subscribe(
              "https://s.example/cb", TOPIC, "tok", Duration.ofDays(7), Optional.empty());
      assertThat(decode(form.body())).doesNotContainKey("hub.secret");
    }

    @Test
    void S9_to_unsubscribe_has_neither_lease_nor_secret() {
      assertThat(SubscriptionForm.unsubscribe("https://s.example/cb", TOPIC, "tok").body())
          .isEqualTo(
              "hub.callback=https%3A%2F%2Fs.example%2Fcb&hub.mode=unsubscribe"
                  + "&hub.topic=https%3A%2F%2Fpublisher.example%2Ffeed"
                  + "&hub.verify=async&hub.verify=sync&hub.verify_token=tok");
    }

    @Test
    void S3_is_read_by_a_hub_as_it_was_written() throws Exception {
      Random random = new Random(3);
      for (int round = 0; round < 500; round++) {
        String secret = "s" + RandomText.next(random);
        String token = "t" + RandomText.next(random);
        String callback = "https://s.example/cb?x=" + random.nextInt() + "&y=%20";
        Duration lease = Duration.ofSeconds(1 + random.nextInt(9_000_000));
        SubscriptionForm form =
            SubscriptionForm.subscribe(callback, TOPIC, token, lease, Optional.of(secret));
        assertThat(HubRequest.parse(decode(form.body())))
            .isEqualTo(
                new HubRequest.Subscribe(
                    callback,
                    TOPIC,
                    TOPIC,
                    Optional.of(secret),
                    Optional.of(lease),
                    Optional.of(VerifyMode.ASYNC),
                    Optional.of(token),
                    Optional.empty(),
                    false,
                    Optional.empty(),
                    true,
                    DocumentWishes.NONE));
        assertThat(
                HubRequest.parse(
                    decode(SubscriptionForm.unsubscribe(callback, TOPIC, token).body())))
            .isEqualTo(
                new HubRequest.Unsubscribe(
                    callback, TOPIC, TOPIC, Optional.of(VerifyMode.ASYNC), Optional.of(token)));
      }
    }

    @Test
    void S3_with_a_secret_that_hubs_must_refuse_cannot_be_made() {
      assertThatThrownBy(
              () ->
                  SubscriptionForm.subscribe(
                      "https://s.example/",
                      TOPIC,
                      "t",
                      Duration.ofDays(1),
                      Optional.of("é".repeat(100))))
          .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void S3_the_token_is_an_hmac_of_the_topic() {
      assertThat(VerifyToken.of("token key".getBytes(UTF_8), TOPIC))
          .isEqualTo("c1386117ef403ba74e541c09d08326f3cd0068154dbc064eb94ece2a4c2aacbe");
      assertThat(VerifyToken.of("token key".getBytes(UTF_8), TOPIC + "/"))
          .isNotEqualTo(VerifyToken.of("token key".getBytes(UTF_8), TOPIC));
    }

    @Test
    void S3_secrets_are_not_printed() {
      SubscriptionForm form =
          SubscriptionForm.subscribe(
              "https://s.example/unguessable",
              TOPIC,
              "tok",
              Duration.ofDays(7),
              Optional.of("hunter2"));
      assertThat(form.toString()).doesNotContain("hunter2", "tok", "unguessable");
      assertThat(WANTED.toString()).doesNotContain("token");
    }
  }

  @Nested
  class S4_the_answer_of_the_hub {
    @ParameterizedTest
    @ValueSource(ints = {200, 202, 204})
    void S4_any_2xx_is_success(int status) {
      assertThat(HubAnswer.of(status, null)).isEqualTo(new HubAnswer.Accepted());
    }

    @ParameterizedTest
    @CsvSource({
      "307,https://other.example/hub,https://other.example/hub",
      "308,/other?x=y,https://hub.example/other?x=y",
      "308,?x=y,https://hub.example/a/hub?x=y",
    })
    void S4_307_and_308_name_another_hub(int status, String location, String target) {
      assertThat(HubAnswer.of(status, location))
          .isInstanceOfSatisfying(
              HubAnswer.Moved.class,
              moved ->
                  assertThat(moved.from(URI.create("https://hub.example/a/hub")))
                      .contains(URI.create(target)));
    }

    @Test
    void S4_a_redirect_to_something_else_than_the_web_leads_nowhere() {
      assertThat(new HubAnswer.Moved("file:///etc/passwd").from(URI.create("http://h.example/")))
          .isEmpty();
      assertThat(HubAnswer.of(308, null)).isEqualTo(new HubAnswer.Refused(308));
      assertThat(HubAnswer.of(307, " ")).isEqualTo(new HubAnswer.Refused(307));
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 301, 302, 303, 304, 400, 404, 409, 422, 500, 503})
    void S4_everything_else_is_a_refusal(int status) {
      assertThat(HubAnswer.of(status, "https://other.example/"))
          .isEqualTo(new HubAnswer.Refused(status));
    }
  }

  @Nested
  class S5_the_question_of_the_hub {
    @Test
    void S5_is_read() {
      assertThat(
              IntentRequest.parse(
                  question("hub.lease_seconds", "60", "hub.verify_token", "token", "x", "y")))
          .isEqualTo(
              new IntentRequest.Verify(
                  SubscriptionMode.SUBSCRIBE,
                  TOPIC,
                  "c",
                  Optional.of(Duration.ofMinutes(1)),
                  Optional.of("token")));
    }

    @Test
    void S5_is_confirmed_if_topic_mode_and_token_match() {
      assertThat(verify("hub.verify_token", "token").matches(WANTED)).isTrue();
    }

    @Test
    void S5_is_confirmed_if_a_newer_hub_sends_no_token() {
      assertThat(verify().matches(WANTED)).isTrue();
    }

    @Test
    void S5_is_confirmed_if_the_hub_spells_the_topic_otherwise() {
      assertThat(verify("hub.topic", "https://publisher.EXAMPLE:443/%66eed").matches(WANTED))
          .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
      "hub.topic,https://publisher.example/other",
      "hub.topic,https://publisher.example/feed/",
      "hub.topic,not a url",
      "hub.mode,unsubscribe",
      "hub.verify_token,Token",
      "hub.verify_token,tokentoken",
    })
    void S5_is_not_confirmed_if_anything_differs(String name, String value) {
      assertThat(verify(name, value).matches(WANTED)).isFalse();
    }

    @Test
    void S5_about_an_active_subscription_is_confirmed_while_another_is_under_way() {
      ExpectedIntent leaving =
          new ExpectedIntent(SubscriptionMode.UNSUBSCRIBE, "https://p.example/old", "t");
      assertThat(verify().matchesAny(List.of(leaving, WANTED))).isTrue();
      assertThat(verify().matchesAny(List.of(leaving))).isFalse();
      assertThat(verify().matchesAny(List.of())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "forever", "-1"})
    void S5_needs_no_lease(String lease) {
      assertThat(verify("hub.lease_seconds", lease).lease()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
      "hub.mode,'',hub.mode is missing",
      "hub.mode,publish,hub.mode \"publish\" is not known",
      "hub.topic,'',hub.topic is missing",
      "hub.challenge,'',hub.challenge is missing",
    })
    void S5_that_is_incomplete_is_none(String name, String value, String reason) {
      assertThat(IntentRequest.parse(question(name, value)))
          .isEqualTo(new IntentRequest.NotAnIntent(reason));
    }

    @Test
    void S5_with_an_endless_challenge_is_none() {
      assertThat(IntentRequest.parse(question("hub.challenge", "c".repeat(2049))))
          .isInstanceOf(IntentRequest.NotAnIntent.class);
    }

    @Test
    void S5_a_get_without_parameters_is_none() {
      assertThat(IntentRequest.parse(Map.of())).isInstanceOf(IntentRequest.NotAnIntent.class);
    }
  }

  @Nested
  class S6_the_denial {
    @Test
    void S6_has_a_reason() {
      String url = new Denial("http://s.example/cb", TOPIC, "no such feed: ü").url();
      assertThat(IntentRequest.parse(Forms.queryOf(url)))
          .isEqualTo(new IntentRequest.Denied(TOPIC, "no such feed: ü"));
    }

    @Test
    void S6_may_have_none() {
      assertThat(IntentRequest.parse(form("hub.mode", "denied", "hub.topic", TOPIC)))
          .isEqualTo(new IntentRequest.Denied(TOPIC, ""));
    }

    @Test
    void S6_the_reason_can_be_logged() {
      Map<String, List<String>> query =
          form("hub.mode", "denied", "hub.topic", TOPIC, "hub.reason", "a\r\nb" + "x".repeat(999));
      assertThat(((IntentRequest.Denied) IntentRequest.parse(query)).reason())
          .startsWith("a  bx")
          .hasSize(500);
    }
  }

  @Nested
  class S8_renewing {
    @Test
    void S8_comes_well_before_the_end_and_leaves_at_least_a_tenth() {
      Random random = new Random(8);
      for (int round = 0; round < 1000; round++) {
        Duration lease = Duration.ofSeconds(10 + random.nextInt(14 * 86_400 - 10));
        Duration wait = RenewalPolicy.renewAfter(lease, random.nextDouble());
        assertThat(wait.toMillis())
            .isBetween(lease.toMillis() * 3 / 4 - 1, lease.toMillis() * 9 / 10);
      }
    }

    @Test
    void S8_is_spread() {
      Duration lease = Duration.ofDays(10);
      assertThat(RenewalPolicy.renewAfter(lease, 0)).isEqualTo(Duration.ofHours(180));
      assertThat(RenewalPolicy.renewAfter(lease, 0.5)).isEqualTo(Duration.ofHours(198));
      assertThat(RenewalPolicy.renewAfter(lease, Math.nextDown(1.0)))
          .isBetween(Duration.ofHours(215), Duration.ofHours(216));
    }

    @Test
    void S8_a_lease_over_14_days_counts_as_14_days() {
      assertThat(RenewalPolicy.renewAfter(Duration.ofSeconds(Long.MAX_VALUE), 0.5))
          .isEqualTo(RenewalPolicy.renewAfter(Duration.ofDays(14), 0.5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT1S"})
    void S8_a_hub_that_grants_nothing_is_not_asked_without_a_pause(Duration lease) {
      assertThat(RenewalPolicy.renewAfter(lease, 0)).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 1.0, Double.NaN})
    void S8_a_random_that_would_break_the_rule_is_refused(double random) {
      assertThatThrownBy(() -> RenewalPolicy.renewAfter(Duration.ofDays(1), random))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Nested
  class H15_a_publisher {
    @Test
    void H15_is_read_by_a_hub_as_it_was_written() throws Exception {
      List<String> topics = List.of("http://p.example/a?b=c&d", "http://p.example/2");
      assertThat(HubRequest.parse(decode(new PublishForm(topics).body())))
          .isEqualTo(new HubRequest.Publish(topics, Optional.empty()));
    }

    @Test
    void H15_names_a_topic() {
      assertThatThrownBy(() -> new PublishForm(List.of()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static Map<String, List<String>> question(String... more) {
    Map<String, List<String>> query =
        form("hub.mode", "subscribe", "hub.topic", TOPIC, "hub.challenge", "c");
    query.putAll(form(more));
    return query;
  }

  private static IntentRequest.Verify verify(String... more) {
    return (IntentRequest.Verify) IntentRequest.parse(question(more));
  }
}
