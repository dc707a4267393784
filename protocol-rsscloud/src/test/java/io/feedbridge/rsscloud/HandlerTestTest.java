package io.feedbridge.rsscloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HandlerTestTest {

  private static final String FEED = "http://feeds.example/rss?a=b&c=d+e%20f";
  private static final String CHALLENGE = "0123456789abcdefghijABCDEFGHIJ";

  private static HandlerTest test(String callback, boolean domainGiven) {
    Registration registration =
        new Registration("", callback, domainGiven, CloudProtocol.HTTP_POST, List.of(FEED));
    return HandlerTest.of(registration, FEED, CHALLENGE);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Nested
  class Behind_a_redirect {

    @Test
    void a_challenge_that_the_redirect_dropped_is_added_again() {
      HandlerTest moved = test("http://b.example/a?x=1", true).at("https://c.example/b?y=2");

      assertThat(moved.method()).isEqualTo("GET");
      assertThat(moved.url()).startsWith("https://c.example/b?y=2&url=").endsWith(CHALLENGE);
      assertThat(moved.failure(200, bytes(CHALLENGE), null)).isEmpty();
    }

    @Test
    void a_challenge_that_the_redirect_kept_stays_as_it_is() {
      HandlerTest first = test("http://b.example/a", true);
      String kept = first.url().replace("http://b.example/a", "http://b.example/a/");

      assertThat(first.at(kept).url()).isEqualTo(kept);
    }

    @Test
    void a_notification_stays_one() {
      HandlerTest first = test("http://192.0.2.7/a", false);
      HandlerTest moved = first.at("http://192.0.2.7/b");

      assertThat(moved.method()).isEqualTo("POST");
      assertThat(moved.url()).isEqualTo("http://192.0.2.7/b");
      assertThat(moved.body()).isEqualTo(first.body());
    }
  }

  @Nested
  class Without_domain {

    private final HandlerTest test = test("http://192.0.2.7:8080/notify?x=1", false);

    @Test
    void it_is_a_post_of_the_feed_to_the_callback_as_it_is() {
      assertThat(test.method()).isEqualTo("POST");
      assertThat(test.url()).isEqualTo("http://192.0.2.7:8080/notify?x=1");
      assertThat(Forms.decode(new String(test.body(), UTF_8)))
          .isEqualTo(Map.of("url", List.of(FEED)));
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 204, 299})
    void any_2xx_passes(int status) {
      assertThat(test.failure(status, bytes(""), null)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 199, 300, 302, 404, 410, 500})
    void any_other_status_fails(int status) {
      assertThat(test.failure(status, bytes("fine"), null)).isPresent();
    }
  }

  @Nested
  class With_domain {

    private final HandlerTest test = test("http://reader.example:8080/notify", true);

    @Test
    void it_is_a_get_with_url_and_challenge() {
      assertThat(test.method()).isEqualTo("GET");
      assertThat(test.body()).isEmpty();
      assertThat(test.url()).startsWith("http://reader.example:8080/notify?url=");
      assertThat(Forms.decode(URI.create(test.url()).getRawQuery()))
          .isEqualTo(Map.of("url", List.of(FEED), "challenge", List.of(CHALLENGE)));
    }

    @ParameterizedTest
    @CsvSource({
      "http://a.example/, http://a.example/?url=",
      "http://a.example/?rsscloud=notify, http://a.example/?rsscloud=notify&url=",
      "http://a.example/?, http://a.example/?url=",
      "http://a.example/?a=%20b&, http://a.example/?a=%20b&url=",
    })
    void what_is_added_goes_behind_the_query_of_the_path(String callback, String start) {
      assertThat(test(callback, true).url()).startsWith(start);
    }

    @Test
    void the_parameters_are_percent_encoded() {
      HandlerTest odd =
          new HandlerTest.Challenge("http://a.example/", "http://ü.example/?a&b", "a b+c&d=e#f%");
      assertThat(odd.url())
          .isEqualTo(
              "http://a.example/?url=http%3A%2F%2F%C3%BC.example%2F%3Fa%26b"
                  + "&challenge=a%20b%2Bc%26d%3De%23f%25");
    }

    @Test
    void a_2xx_with_the_challenge_in_the_body_passes() {
      assertThat(test.failure(200, bytes(CHALLENGE), null)).isEmpty();
      assertThat(test.failure(299, bytes(CHALLENGE), null)).isEmpty();
    }

    @Test
    void white_space_around_the_challenge_is_forgiven_and_so_is_other_text() {
      assertThat(test.failure(200, bytes("\r\n " + CHALLENGE + "\n"), null)).isEmpty();
      assertThat(test.failure(200, bytes("<html>" + CHALLENGE + "</html>"), null)).isEmpty();
    }

    @Test
    void a_2xx_without_the_challenge_fails() {
      assertThat(test.failure(200, bytes(""), null)).isPresent();
      assertThat(test.failure(200, bytes(CHALLENGE.substring(1)), null)).isPresent();
      assertThat(test.failure(204, bytes("ok"), null)).isPresent();
    }

    @Test
    void the_challenge_alone_needs_no_further_test() {
      assertThat(test.further(bytes(CHALLENGE))).isEmpty();
      assertThat(test.further(bytes("\r\n " + CHALLENGE + "\n"))).isEmpty();
    }

    /** A handler puts the challenge into a page; another page repeats its own address. */
    @ParameterizedTest
    @ValueSource(
        strings = {
          "<html><body>%2$s</body></html>",
          "{\"challenge\":\"%2$s\"}",
          "<p>The challenge for http://feeds.example/rss is %2$s</p>"
        })
    void a_page_that_holds_the_challenge_passes_the_further_test(String page) {
      HandlerTest further = test.further(bytes(page.formatted("", CHALLENGE))).orElseThrow();

      byte[] answer = bytes(page.formatted(further.url(), CHALLENGE));
      assertThat(further.failure(200, answer, null)).isEmpty();
      assertThat(further.further(answer)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<link rel=\"canonical\" href=\"%1$s\"/>",
          "nothing was found at %1$s",
          "you searched for %1$s"
        })
    void a_page_that_repeats_its_own_address_fails_the_further_test(String page) {
      assertThat(test.failure(200, bytes(page.formatted(test.url())), null)).isEmpty();
      HandlerTest further = test.further(bytes(page.formatted(test.url()))).orElseThrow();

      assertThat(further.url()).startsWith(test.url().substring(0, test.url().indexOf('&')));
      assertThat(further.failure(200, bytes(page.formatted(further.url())), null)).isPresent();
    }

    @Test
    void a_page_that_lists_its_parameters_fails_the_further_test() {
      HandlerTest further = test.further(bytes("challenge=" + CHALLENGE)).orElseThrow();
      Map<String, List<String>> parameters = Forms.decode(URI.create(further.url()).getRawQuery());

      assertThat(parameters).containsKeys("url", "challenge").hasSize(3);
      assertThat(further.failure(200, bytes(parameters.toString()), null)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(ints = {199, 300, 302, 404, 500})
    void the_challenge_with_another_status_fails(int status) {
      assertThat(test.failure(status, bytes(CHALLENGE), null)).isPresent();
    }
  }

  @Nested
  class By_a_procedure_of_soap {

    private HandlerTest test(String namespace) {
      return HandlerTest.of(
          new Registration(
              "feedUpdated",
              namespace,
              "http://a.example/",
              true,
              CloudProtocol.SOAP,
              List.of(FEED)),
          FEED,
          CHALLENGE);
    }

    @Test
    void one_refused_in_its_namespace_is_called_once_more_without_one() {
      HandlerTest first = test("urn:Handler").at("http://b.example/");
      HandlerTest second = first.otherwise().orElseThrow();

      assertThat(first.namespace()).isEqualTo("urn:Handler");
      assertThat(new String(first.body(), UTF_8))
          .contains("<m:feedUpdated xmlns:m=\"urn:Handler\">");
      assertThat(second.namespace()).isEmpty();
      assertThat(second.url()).isEqualTo("http://b.example/");
      assertThat(new String(second.body(), UTF_8)).contains("<feedUpdated><url");
      assertThat(second.otherwise()).isEmpty();
    }

    @Test
    void one_without_a_namespace_has_no_other_way() {
      assertThat(test("").otherwise()).isEmpty();
    }
  }

  @Nested
  class The_challenge {

    @Test
    void has_20_characters_or_more_that_need_no_escaping() {
      Random random = new Random(1);
      for (int i = 0; i < 1000; i++) {
        assertThat(HandlerTest.newChallenge(random)).matches("[A-Za-z0-9]{20,}");
      }
    }

    @Test
    void is_new_each_time() {
      Random random = new Random(2);
      assertThat(
              Stream.generate(() -> HandlerTest.newChallenge(random))
                  .limit(1000)
                  .collect(Collectors.toSet()))
          .hasSize(1000);
    }

    @Test
    void too_short_is_a_mistake_of_the_caller() {
      Registration registration =
          new Registration("", "http://a.example/", true, CloudProtocol.HTTP_POST, List.of(FEED));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> HandlerTest.of(registration, FEED, "0123456789abcdefghi"));
    }
  }
}
