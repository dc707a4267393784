package io.feedbridge.rsscloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AggregatorRequestTest {

  private static final String FEED = "http://feeds.example/?a=b&c";

  @Test
  void a_get_with_url_and_challenge_is_a_challenge() {
    assertThat(AggregatorRequest.parse("GET", Forms.of("url", FEED, "challenge", "a b")))
        .contains(new ChallengeRequest(FEED, "a b"));
  }

  @Test
  void a_post_with_url_is_a_notification() {
    assertThat(AggregatorRequest.parse("POST", Forms.of("url", FEED)))
        .contains(new NotificationRequest(FEED));
  }

  @Test
  void other_parameters_of_the_callback_are_ignored() {
    assertThat(AggregatorRequest.parse("POST", Forms.of("rsscloud", "notify", "url", FEED)))
        .contains(new NotificationRequest(FEED));
  }

  @Test
  void what_a_cloud_of_ours_sends_is_understood() {
    Random random = new Random(6);
    for (int i = 0; i < 200; i++) {
      String feed = FEED + random.nextInt() + "&x=%20+é";
      boolean domainGiven = random.nextBoolean();
      HandlerTest test =
          HandlerTest.of(
              new Registration(
                  "",
                  "http://me.example/c?x=y",
                  domainGiven,
                  CloudProtocol.HTTP_POST,
                  List.of(feed)),
              feed,
              HandlerTest.newChallenge(random));
      String encoded =
          domainGiven
              ? URI.create(test.url()).getRawQuery()
              : new String(test.body(), StandardCharsets.UTF_8);
      AggregatorRequest request =
          AggregatorRequest.parse(test.method(), Forms.decode(encoded)).orElseThrow();
      assertThat(request.url()).isEqualTo(feed);
      String answer = request instanceof ChallengeRequest asked ? asked.challenge() : "";
      assertThat(test.failure(200, answer.getBytes(StandardCharsets.UTF_8), null)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HEAD", "PUT", "DELETE", "get", ""})
  void any_other_method_is_neither(String method) {
    assertThat(AggregatorRequest.parse(method, Forms.of("url", FEED, "challenge", "abc")))
        .isEmpty();
  }

  @Test
  void a_get_without_challenge_or_url_is_neither() {
    for (Map<String, List<String>> query :
        List.of(
            Forms.of(),
            Forms.of("url", FEED),
            Forms.of("challenge", "abc"),
            Forms.of("url", FEED, "challenge", " "),
            Forms.of("url", FEED, "challenge", "a", "challenge", "b"),
            Forms.of("url", FEED, "challenge", "a\r\nb"),
            Forms.of("url", FEED, "challenge", "a".repeat(2049)))) {
      assertThat(AggregatorRequest.parse("GET", query)).isEmpty();
    }
  }

  @Test
  void a_post_without_one_web_url_is_neither() {
    for (Map<String, List<String>> form :
        List.of(
            Forms.of(),
            Forms.of("url", ""),
            Forms.of("url", "x"),
            Forms.of("url", FEED, "url", "http://b.example/"),
            Forms.of("url1", FEED))) {
      assertThat(AggregatorRequest.parse("POST", form)).isEmpty();
    }
  }
}
