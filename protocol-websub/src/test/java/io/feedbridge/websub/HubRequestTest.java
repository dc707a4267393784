package io.feedbridge.websub;

import static io.feedbridge.websub.Forms.form;
import static io.feedbridge.websub.Forms.subscribe;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HubRequestTest {

  @Nested
  class H1_the_request {
    @ParameterizedTest
    @ValueSource(strings = {"hub.callback", "hub.mode", "hub.topic"})
    void H1_needs_callback_mode_and_topic(String name) {
      Map<String, List<String>> missing = subscribe();
      missing.remove(name);
      assertRefused(missing, name + " is missing");
      assertRefused(subscribe(name, ""), name + " is missing");
    }

    @Test
    void H1_ignores_parameters_it_does_not_know() throws Exception {
      assertThat(HubRequest.parse(subscribe("hub.foo", "bar", "", "", "x", "\0")))
          .isEqualTo(HubRequest.parse(subscribe()));
    }

    @Test
    void H1_reads_the_minimum() throws Exception {
      HubRequest.Subscribe request = subscription();
      assertThat(request.callback()).isEqualTo("https://subscriber.example/cb");
      assertThat(request.topic()).isEqualTo("https://publisher.example/feed");
      assertThat(request.requestedTopic()).isEqualTo("https://publisher.example/feed");
      assertThat(request.secret()).isEmpty();
      assertThat(request.lease()).isEmpty();
      assertThat(request.verify()).isEmpty();
      assertThat(request.verifyToken()).isEmpty();
      assertThat(request.format()).isEmpty();
      assertThat(request.updates()).isFalse();
      assertThat(request.legacy()).isFalse();
    }

    @Test
    void H1_reads_unsubscribe() throws Exception {
      Map<String, List<String>> form =
          subscribe(
              "hub.mode", "unsubscribe",
              "hub.topic", "HTTPS://Publisher.example",
              "hub.verify", "sync",
              "hub.verify_token", "t",
              "hub.secret", "x".repeat(500));
      HubRequest.Unsubscribe request = (HubRequest.Unsubscribe) HubRequest.parse(form);
      assertThat(request.callback()).isEqualTo("https://subscriber.example/cb");
      assertThat(request.topic()).isEqualTo("https://publisher.example/");
      assertThat(request.requestedTopic()).isEqualTo("HTTPS://Publisher.example");
      assertThat(request.verify()).contains(VerifyMode.SYNC);
      assertThat(request.verifyToken()).contains("t");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"list", "retrieve", "replay", "authenticate", "search", "denied", "Subscribe"})
    void H1_refuses_a_mode_it_does_not_know_and_names_those_it_knows(String mode) {
      assertRefused(
          subscribe("hub.mode", mode),
          "hub.mode \"" + mode + "\" is not known here; use subscribe, unsubscribe or publish");
    }

    @Test
    void H1_refuses_a_parameter_that_says_two_things() {
      Map<String, List<String>> form = subscribe();
      form.put("hub.topic", List.of("https://a.example/", "https://b.example/"));
      assertRefused(form, "hub.topic is given twice, with different values; send one");
    }

    @Test
    void H1_accepts_a_parameter_that_says_the_same_twice() throws Exception {
      Map<String, List<String>> form = subscribe();
      form.replaceAll((name, values) -> List.of(values.get(0), values.get(0), ""));
      assertThat(HubRequest.parse(form)).isEqualTo(HubRequest.parse(subscribe()));
    }
  }

  @Nested
  class H2_verification_before_the_answer {
    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "sync|SYNC",
          "async|ASYNC",
          "sync;async|SYNC",
          "async;sync|ASYNC",
          "carrier-pigeon;sync|SYNC",
          "sync,async|SYNC",
          "async, sync|ASYNC",
          "SYNC|SYNC",
          ";async|ASYNC",
        })
    void H2_the_order_of_hub_verify_is_the_preference(String values, VerifyMode expected)
        throws Exception {
      Map<String, List<String>> form = subscribe();
      form.put("hub.verify", List.of(values.split(";", -1)));
      assertThat(((HubRequest.Subscribe) HubRequest.parse(form)).verify()).contains(expected);
    }

    @Test
    void H2_a_keyword_nobody_knows_is_no_preference() throws Exception {
      assertThat(subscription("hub.verify", "carrier-pigeon").verify()).isEmpty();
    }
  }

  @Nested
  class H3_reasons {
    @Test
    void H3_a_reason_is_one_short_line_whatever_was_sent() {
      for (String name :
          List.of("hub.mode", "format", "hub.signature_method", "hub.lease_seconds")) {
        assertThatThrownBy(
                () -> HubRequest.parse(subscribe(name, "a\r\nb\u2028\u0085\0" + "x".repeat(9999))))
            .isInstanceOfSatisfying(
                BadHubRequestException.class,
                e ->
                    assertThat(e.reason())
                        .startsWith(name)
                        .hasSizeLessThan(250)
                        .doesNotContainPattern("[\\p{Cntrl}\\u0085\\u2028]"));
      }
    }

    @Test
    void H3_no_form_breaks_the_parser_in_another_way() {
      Random random = new Random(3);
      List<String> names =
          List.of(
              "hub.mode",
              "hub.callback",
              "hub.topic",
              "hub.secret",
              "hub.verify",
              "hub.url",
              "hub.verify_token",
              "hub.lease_seconds",
              "format",
              "hub.content",
              "hub.signature");
      List<String> pieces =
          List.of(
              "subscribe",
              "publish",
              "unsubscribe",
              "http://",
              "https://",
              "a.example",
              "[::1]",
              ":80",
              ":",
              "/",
              "?",
              "#",
              "@",
              "%",
              "%4",
              "%41",
              "%zz",
              "\r",
              "\0",
              " ",
              ",",
              "ü",
              "\ud800",
              "／",
              "xn--",
              ".",
              "[",
              "]",
              "99999999999999999999",
              "-1",
              "");
      int refused = 0;
      for (int round = 0; round < 20_000; round++) {
        Map<String, List<String>> form = random.nextBoolean() ? subscribe() : form();
        for (int i = random.nextInt(4); i >= 0; i--) {
          StringBuilder value = new StringBuilder(random.nextBoolean() ? "http://" : "");
          for (int j = random.nextInt(5); j >= 0; j--) {
            value.append(pieces.get(random.nextInt(pieces.size())));
          }
          form.put(names.get(random.nextInt(names.size())), List.of(value.toString()));
        }
        try {
          HubRequest.parse(form);
        } catch (BadHubRequestException e) {
          assertThat(e.reason()).isNotBlank();
          refused++;
        }
      }
      assertThat(refused).isBetween(1000, 19_999);
    }
  }

  @Nested
  class H6_the_key {
    @Test
    void H6_two_spellings_of_a_topic_are_one_key_and_two_of_a_callback_are_two() throws Exception {
      HubRequest.Subscribe one =
          subscription("hub.topic", "http://A.example:80", "hub.callback", "http://c.example");
      HubRequest.Subscribe other =
          subscription("hub.topic", "http://a.example/", "hub.callback", "http://c.example/");
      assertThat(one.topic()).isEqualTo(other.topic());
      assertThat(one.callback()).isNotEqualTo(other.callback());
    }
  }

  @Nested
  class H7_the_requested_lease {
    @Test
    void H7_is_a_number_of_seconds() throws Exception {
      assertThat(subscription("hub.lease_seconds", "3600").lease()).contains(Duration.ofHours(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "000"})
    void H7_zero_or_nothing_is_no_wish(String value) throws Exception {
      assertThat(subscription("hub.lease_seconds", value).lease()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ten days", "-1", "1.5", "1e3", "0x10", " ", "٣"})
    void H7_anything_but_a_number_is_refused(String value) {
      assertRefused(
          subscribe("hub.lease_seconds", value),
          "hub.lease_seconds must be a whole number of seconds, not \"" + value + '"');
    }

    @ParameterizedTest
    @ValueSource(strings = {"99999999999", "9223372036854775807", "99999999999999999999999999"})
    void H7_a_permanent_subscription_is_asked_for_with_a_number_that_can_be_added(String value)
        throws Exception {
      assertThat(subscription("hub.lease_seconds", value).lease()).contains(LeaseSeconds.LONGEST);
    }
  }

  @Nested
  class H8_the_secret {
    @Test
    void H8_a_secret_of_199_bytes_is_accepted() throws Exception {
      String secret = "é".repeat(99) + "x";
      assertThat(secret.getBytes(UTF_8)).hasSize(199);
      assertThat(subscription("hub.secret", secret).secret()).contains(secret);
    }

    @Test
    void H8_a_secret_of_200_bytes_is_refused() {
      assertRefused(
          subscribe("hub.secret", "é".repeat(100)), "hub.secret must be shorter than 200 bytes");
    }

    @Test
    void H8_an_empty_secret_is_none() throws Exception {
      assertThat(subscription("hub.secret", "").secret()).isEmpty();
    }

    @Test
    void H8_a_secret_that_no_database_holds_is_refused() {
      assertRefused(subscribe("hub.secret", "a\0b"), "hub.secret contains a NUL character");
    }

    @Test
    void H8_a_secret_is_not_printed() throws Exception {
      assertThat(subscription("hub.secret", "hunter2", "hub.verify_token", "tok").toString())
          .doesNotContain("hunter2")
          .doesNotContain("tok");
    }
  }

  @Nested
  class H12_the_signature_method {
    @Test
    void H12_is_sha256_unless_something_else_is_known() throws Exception {
      assertThat(subscription().signatureMethod()).isEqualTo(SignatureMethod.SHA256);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hub.verify", "hub.verify_token"})
    void H12_is_sha1_for_subscribers_of_the_old_protocols(String parameter) throws Exception {
      assertThat(subscription(parameter, "async").signatureMethod())
          .isEqualTo(SignatureMethod.SHA1);
    }

    @Test
    void H12_is_sha1_for_clients_of_superfeedr() throws Exception {
      assertThat(subscription().signatureMethod(true)).isEqualTo(SignatureMethod.SHA1);
    }

    @ParameterizedTest
    @CsvSource({"sha1,SHA1", "sha256,SHA256", "sha384,SHA384", "SHA512,SHA512"})
    void H12_is_the_one_that_is_asked_for(String value, SignatureMethod expected) throws Exception {
      HubRequest.Subscribe request =
          subscription("hub.signature_method", value, "hub.verify", "sync");
      assertThat(request.signatureMethod()).isEqualTo(expected);
      assertThat(request.signatureMethod(true)).isEqualTo(expected);
    }

    @Test
    void H12_a_method_nobody_knows_is_refused() {
      assertRefused(
          subscribe("hub.signature_method", "md5"),
          "hub.signature_method \"md5\" is not known here; use sha1, sha256, sha384 or sha512");
    }
  }

  @Nested
  class H15_publish {
    @Test
    void H15_reads_every_way_of_naming_topics() throws Exception {
      Map<String, List<String>> form =
          form(
              "hub.mode", "publish",
              "hub.url", "http://a.example/1",
              "hub.url", "http://a.example/2,http://a.example/3, HTTPS://a.example/4",
              "hub.url[]", "http://a.example/5",
              "hub.url[]", "http://a.example/6",
              "hub.url[0]", "http://a.example/5",
              "hub.url[17]", "http://a.example/7",
              "hub.url[x]", "http://a.example/not-read",
              "hub.topic", "http://a.example/7");
      assertThat(publish(form).topics())
          .containsExactly(
              "http://a.example/1",
              "http://a.example/2",
              "http://a.example/3",
              "https://a.example/4",
              "http://a.example/5",
              "http://a.example/6",
              "http://a.example/7");
    }

    @Test
    void H15_a_comma_inside_a_url_separates_nothing() throws Exception {
      String url = "http://a.example/1,2,ftp://x?q=3,4";
      assertThat(publish(form("hub.mode", "publish", "hub.url", url)).topics())
          .containsExactly(url);
    }

    @Test
    void H15_a_topic_named_in_two_spellings_is_one() throws Exception {
      Map<String, List<String>> form =
          form(
              "hub.mode",
              "publish",
              "hub.url",
              "http://A.example",
              "hub.topic",
              "http://a.example/");
      assertThat(publish(form).topics()).containsExactly("http://a.example/");
    }

    @Test
    void H15_needs_a_topic() {
      assertRefused(
          form("hub.mode", "publish", "hub.url", ""),
          "hub.url is missing: name the topic that has changed");
    }

    @Test
    void H15_names_a_bounded_number_of_topics() throws Exception {
      List<String> urls =
          new ArrayList<>(IntStream.range(0, 1000).mapToObj(i -> "http://a.example/" + i).toList());
      Map<String, List<String>> form = form("hub.mode", "publish");
      form.put("hub.url", urls);
      assertThat(publish(form).topics()).hasSize(1000);
      urls.add("http://a.example/one-more");
      assertRefused(form, "More than 1000 topics; send several requests");
    }

    @Test
    void H15_a_url_that_is_none_is_refused() {
      assertRefused(
          form("hub.mode", "publish", "hub.url[]", "feed.xml"),
          "hub.url[] must be an absolute http or https URL");
    }
  }

  @Nested
  class H17_fat_publish {
    private static final String CONTENT = "<feed>é</feed>";
    private final String sha1 =
        Signature.sign(SignatureMethod.SHA1, "key", CONTENT.getBytes(UTF_8));

    @Test
    void H17_a_light_publish_has_no_content() throws Exception {
      assertThat(publish(form("hub.mode", "publish", "hub.url", "http://a.example/")).content())
          .isEmpty();
    }

    @Test
    void H17_reads_content_and_signature() throws Exception {
      HubRequest.FatContent content = fat("hub.signature", sha1);
      assertThat(content.bytes()).isEqualTo(CONTENT.getBytes(UTF_8));
      assertThat(content.isSignedWith("key")).isTrue();
      assertThat(content.isSignedWith("other key")).isFalse();
      assertThat(content.isSignedWith("")).isFalse();
    }

    @Test
    void H17_bare_hex_is_a_sha1() throws Exception {
      assertThat(fat("hub.signature", sha1.substring(5)).isSignedWith("key")).isTrue();
      assertThat(fat("hub.signature", "0".repeat(40)).isSignedWith("key")).isFalse();
    }

    @Test
    void H17_other_methods_are_named() throws Exception {
      String sha512 = Signature.sign(SignatureMethod.SHA512, "key", CONTENT.getBytes(UTF_8));
      assertThat(fat("hub.signature", sha512).isSignedWith("key")).isTrue();
    }

    @Test
    void H17_content_without_a_signature_is_signed_by_nobody() throws Exception {
      assertThat(fat("hub.signature", "").isSignedWith("key")).isFalse();
    }

    @Test
    void H17_content_of_two_topics_is_refused() {
      assertRefused(
          form(
              "hub.mode", "publish",
              "hub.url", "http://a.example/1,http://a.example/2",
              "hub.content", CONTENT),
          "hub.content is the content of one topic; send one request for each");
    }

    private HubRequest.FatContent fat(String name, String value) throws Exception {
      Map<String, List<String>> form =
          form(
              "hub.mode",
              "publish",
              "hub.topic",
              "http://a.example/",
              "hub.content",
              CONTENT,
              name,
              value);
      return publish(form).content().orElseThrow();
    }
  }

  @Nested
  class H18_the_format {
    @ParameterizedTest
    @CsvSource({"auto,AUTO", "atom,ATOM", "json,JSON", "raw,RAW", "JSON,JSON"})
    void H18_is_one_of_four(String value, ContentFormat expected) throws Exception {
      assertThat(subscription("format", value).format()).contains(expected);
    }

    @Test
    void H18_another_is_refused() {
      assertRefused(
          subscribe("format", "rss"),
          "format \"rss\" is not known here; use auto, atom, json or raw");
    }

    @Test
    void H18_changes_of_known_entries_are_for_those_who_ask() throws Exception {
      assertThat(subscription("updates", "true").updates()).isTrue();
      assertThat(subscription("updates", "false").updates()).isFalse();
    }
  }

  @Nested
  class H19_old_subscriptions {
    @Test
    void H19_a_request_with_hub_verify_is_of_0_3() throws Exception {
      assertThat(subscription("hub.verify", "async").legacy()).isTrue();
      assertThat(subscription("hub.verify", "").legacy()).isFalse();
      assertThat(subscription("hub.verify_token", "t").legacy()).isFalse();
    }

    @Test
    void H19_a_token_has_a_bound() throws Exception {
      assertThat(subscription("hub.verify_token", "x".repeat(1024)).verifyToken()).isPresent();
      assertRefused(
          subscribe("hub.verify_token", "x".repeat(1025)),
          "hub.verify_token is longer than 1024 characters");
    }
  }

  static HubRequest.Subscribe subscription(String... more) throws BadHubRequestException {
    return (HubRequest.Subscribe) HubRequest.parse(subscribe(more));
  }

  private static HubRequest.Publish publish(Map<String, List<String>> form)
      throws BadHubRequestException {
    return (HubRequest.Publish) HubRequest.parse(form);
  }

  static void assertRefused(Map<String, List<String>> form, String reason) {
    assertThatThrownBy(() -> HubRequest.parse(form))
        .isInstanceOf(BadHubRequestException.class)
        .hasMessage(reason);
  }
}
