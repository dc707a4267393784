package io.feedbridge.websub;

import static io.feedbridge.websub.Forms.queryOf;
import static io.feedbridge.websub.Forms.subscribe;
import static io.feedbridge.websub.HubRequestTest.subscription;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.websub.discovery.Discovery;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the hub says to its subscribers. */
class HubToSubscriberTest {
  private static final Duration TEN_DAYS = Duration.ofDays(10);

  private static SubscriberVerification verification(String... more) throws Exception {
    return SubscriberVerification.of(subscription(more), TEN_DAYS, "challenge");
  }

  @Nested
  class H4_the_question {
    @Test
    void H4_has_mode_topic_challenge_and_lease() throws Exception {
      assertThat(verification().url())
          .isEqualTo(
              "https://subscriber.example/cb?hub.mode=subscribe"
                  + "&hub.topic=https%3A%2F%2Fpublisher.example%2Ffeed"
                  + "&hub.challenge=challenge&hub.lease_seconds=864000");
    }

    @Test
    void H4_has_the_token_that_was_given() throws Exception {
      assertThat(queryOf(verification("hub.verify_token", "a b&c=ü+").url()))
          .containsEntry("hub.verify_token", List.of("a b&c=ü+"));
    }

    @Test
    void H4_names_the_topic_as_the_subscriber_wrote_it() throws Exception {
      String topic = "HTTP://Publisher.example:80?q=%7e";
      assertThat(queryOf(verification("hub.topic", topic).url()))
          .containsEntry("hub.topic", List.of(topic));
    }

    @Test
    void H4_about_unsubscribing_has_no_lease() throws Exception {
      HubRequest.Unsubscribe request =
          (HubRequest.Unsubscribe)
              HubRequest.parse(subscribe("hub.mode", "unsubscribe", "hub.verify_token", "t"));
      assertThat(queryOf(SubscriberVerification.of(request, "c").url()))
          .containsOnlyKeys("hub.mode", "hub.topic", "hub.challenge", "hub.verify_token")
          .containsEntry("hub.mode", List.of("unsubscribe"));
    }

    @ParameterizedTest
    @CsvSource({
      "http://s.example/cb,http://s.example/cb?",
      "http://s.example,http://s.example?",
      "http://s.example/cb?,http://s.example/cb?",
      "http://s.example/cb?a=1,http://s.example/cb?a=1&",
      "http://s.example/cb?a=1&,http://s.example/cb?a=1&",
      "http://s.example/cb?x=%7e&b=/?&&=,http://s.example/cb?x=%7e&b=/?&&=&",
    })
    void H4_the_query_of_the_callback_stays_byte_for_byte(String callback, String start)
        throws Exception {
      assertThat(verification("hub.callback", callback).url()).startsWith(start + "hub.mode=");
    }

    @Test
    void H4_parameters_of_the_callback_are_not_overwritten() throws Exception {
      String callback = "http://s.example/cb?hub.mode=mine&hub.topic=mine";
      Map<String, List<String>> query = queryOf(verification("hub.callback", callback).url());
      assertThat(query.get("hub.mode")).containsExactly("mine", "subscribe");
      assertThat(query.get("hub.topic")).containsExactly("mine", "https://publisher.example/feed");
    }

    @Test
    void H4_a_challenge_is_random() {
      Set<String> challenges = new HashSet<>();
      SecureRandom random = new SecureRandom();
      for (int i = 0; i < 1000; i++) {
        String challenge = RandomToken.next(random);
        assertThat(challenge).matches("[0-9a-f]{40}");
        challenges.add(challenge);
      }
      assertThat(challenges).hasSize(1000);
    }

    @Test
    void H4_a_question_without_challenge_or_lease_cannot_be_made() {
      assertThatThrownBy(() -> SubscriberVerification.of(subscription(), TEN_DAYS, ""))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(
              () ->
                  new SubscriberVerification(
                      SubscriptionMode.SUBSCRIBE,
                      "http://s.example/",
                      "http://p.example/",
                      "c",
                      Optional.empty(),
                      Optional.empty()))
          .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void H4_a_subscriber_reads_what_a_hub_writes() {
      Random random = new Random(4);
      for (int round = 0; round < 500; round++) {
        boolean subscribe = random.nextBoolean();
        SubscriberVerification written =
            new SubscriberVerification(
                subscribe ? SubscriptionMode.SUBSCRIBE : SubscriptionMode.UNSUBSCRIBE,
                random.nextBoolean() ? "http://s.example/cb" : "http://s.example/cb?x=1",
                "http://p.example/" + RandomText.next(random),
                "c" + RandomText.next(random),
                subscribe
                    ? Optional.of(Duration.ofSeconds(1 + random.nextInt(9_000_000)))
                    : Optional.empty(),
                random.nextBoolean()
                    ? Optional.of("t" + RandomText.next(random))
                    : Optional.empty());
        assertThat(IntentRequest.parse(queryOf(written.url())))
            .isEqualTo(
                new IntentRequest.Verify(
                    written.mode(),
                    written.topic(),
                    written.challenge(),
                    written.lease(),
                    written.verifyToken()));
      }
    }
  }

  @Nested
  class H5_the_answer {
    @ParameterizedTest
    @ValueSource(ints = {200, 201, 204, 299})
    void H5_a_2xx_with_the_challenge_confirms(int status) throws Exception {
      assertThat(verification().confirmedBy(status, "challenge".getBytes(UTF_8))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 199, 300, 301, 302, 307, 308, 404, 410, 500})
    void H5_a_redirect_or_an_error_does_not(int status) throws Exception {
      assertThat(verification().confirmedBy(status, "challenge".getBytes(UTF_8))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Challenge", "challenge\n", " challenge", "challengechallenge"})
    void H5_another_body_does_not(String body) throws Exception {
      assertThat(verification().confirmedBy(200, body.getBytes(UTF_8))).isFalse();
    }
  }

  @Nested
  class H7_the_lease {
    private final LeasePolicy policy =
        new LeasePolicy(Duration.ofMinutes(5), TEN_DAYS, Duration.ofDays(30));

    @ParameterizedTest
    @CsvSource({"PT0.5S,PT5M", "PT5M,PT5M", "PT1H0.9S,PT1H", "P30D,P30D", "P36500D,P30D"})
    void H7_is_the_wish_within_the_bounds(Duration wish, Duration granted) {
      assertThat(policy.grant(Optional.of(wish))).isEqualTo(granted);
    }

    @Test
    void H7_is_ten_days_without_a_wish() {
      assertThat(policy.grant(Optional.empty())).isEqualTo(TEN_DAYS);
      assertThat(LeasePolicy.DEFAULT.grant(Optional.empty())).isEqualTo(TEN_DAYS);
    }

    @ParameterizedTest
    @CsvSource({"PT0S,P1D,P2D", "P2D,P1D,P3D", "P1D,P3D,P2D"})
    void H7_bounds_that_contradict_each_other_are_refused(Duration a, Duration b, Duration c) {
      assertThatThrownBy(() -> new LeasePolicy(a, b, c))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Nested
  class H10_the_denial {
    @Test
    void H10_has_mode_topic_and_reason() {
      assertThat(new Denial("http://s.example/cb?a=1", "http://p.example/f", "gone: 410 ü").url())
          .isEqualTo(
              "http://s.example/cb?a=1&hub.mode=denied&hub.topic=http%3A%2F%2Fp.example%2Ff"
                  + "&hub.reason=gone%3A%20410%20%C3%BC");
    }

    @Test
    void H10_a_long_reason_is_cut_between_characters() {
      Denial denial = new Denial("http://s.example/", "http://p.example/", "x" + "😀".repeat(400));
      assertThat(denial.reason()).isEqualTo("x" + "😀".repeat(249));
    }
  }

  @Nested
  class H11_the_delivery {
    @Test
    void H11_one_link_header_names_hub_and_topic() {
      assertThat(Delivery.link("https://hub.example/hub", "http://p.example/f?a=1,2;b"))
          .isEqualTo(
              "<https://hub.example/hub>; rel=\"hub\", <http://p.example/f?a=1,2;b>; rel=\"self\"");
    }

    @Test
    void H11_a_subscriber_discovers_hub_and_topic_in_it() {
      String link = Delivery.link("https://hub.example/hub", "http://p.example/f?a=1,2;b");
      assertThat(
              Discovery.discover(URI.create("http://x.example/"), List.of(link), null, new byte[0]))
          .satisfies(
              d -> assertThat(d.hubs()).containsExactly(URI.create("https://hub.example/hub")),
              d -> assertThat(d.self()).contains(URI.create("http://p.example/f?a=1,2;b")));
    }

    @Test
    void H11_nothing_in_a_topic_breaks_the_header() {
      assertThat(Delivery.link("https://h.example/", "http://p.example/>\r\nX: \"ü"))
          .isEqualTo(
              "<https://h.example/>; rel=\"hub\","
                  + " <http://p.example/%3E%0D%0AX:%20%22%C3%BC>; rel=\"self\"");
    }

    @Test
    void H11_the_headers_have_the_names_of_the_specification() {
      assertThat(Delivery.LINK).isEqualTo("Link");
      assertThat(Delivery.SIGNATURE).isEqualTo("X-Hub-Signature");
    }
  }

  @Nested
  class On_behalf_of {
    @ParameterizedTest
    @CsvSource({"0,0", "42,42", "' 7 ',7", "999999999,999999999"})
    void a_subscriber_says_for_how_many_it_stands(String header, int people) {
      assertThat(Delivery.onBehalfOf(header)).hasValue(people);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "many", "-1", "1.5", "1000000000", "٣"})
    void anything_but_a_number_says_nothing(@Nullable String header) {
      assertThat(Delivery.onBehalfOf(header)).isEmpty();
    }
  }
}
