package io.feedbridge.gateway.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.webhook.WebhookSecret.Scheme;
import io.feedbridge.gateway.webhook.targets.Target;
import io.feedbridge.gateway.webhook.targets.Targets;
import java.net.http.HttpHeaders;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signed messages, by the specification's own example and by the reference library. */
class WebhookMessageTest {

  private static final String EXAMPLE = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String BODY = "{\"title\":\"Grüße\"}";
  private static final Target TARGET =
      Targets.of(
          "https://app.example/hook",
          io.feedbridge.gateway.store.subscriptions.Webhook.Target.STANDARD);

  private static final WebhookMessage MESSAGE =
      new WebhookMessage("msg_abc_12", BODY.getBytes(UTF_8));

  private static Map<String, String> headers(Call call) {
    Map<String, String> headers = new HashMap<>();
    for (Header header : call.headers()) {
      headers.put(header.name(), header.value());
    }
    return headers;
  }

  private static Call call(WebhookSecret... secrets) {
    return TARGET.call(MESSAGE, List.of(secrets), Instant.now());
  }

  private static HttpHeaders asReceived(Call call) {
    Map<String, List<String>> values = new HashMap<>();
    headers(call).forEach((name, value) -> values.put(name, List.of(value)));
    return HttpHeaders.of(values, (name, value) -> true);
  }

  @Test
  void the_known_answer_of_the_specification() {
    WebhookMessage message =
        new WebhookMessage(
            "msg_p5jXN8AQM9LWM0D4loKWxJek", "{\"test\": 2432232314}".getBytes(UTF_8));

    Map<String, String> headers =
        headers(
            TARGET.call(
                message,
                List.of(WebhookSecret.parse(EXAMPLE)),
                Instant.ofEpochSecond(1_614_265_330)));

    assertThat(headers)
        .containsEntry("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
        .containsEntry("webhook-timestamp", "1614265330")
        .containsEntry("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        .containsEntry("Content-Type", "application/json");
  }

  @Test
  void with_two_secrets_the_reference_library_accepts_either_and_no_third() {
    WebhookSecret one = WebhookSecret.make(Scheme.SHARED, new SecureRandom());
    WebhookSecret other = WebhookSecret.make(Scheme.SHARED, new SecureRandom());
    Call call = call(one, other);

    for (WebhookSecret secret : List.of(one, other)) {
      assertThatCode(() -> new Webhook(secret.text()).verify(BODY, asReceived(call)))
          .doesNotThrowAnyException();
    }
    assertThatThrownBy(() -> new Webhook(EXAMPLE).verify(BODY, asReceived(call)))
        .isInstanceOf(WebhookVerificationException.class);
    assertThatThrownBy(() -> new Webhook(one.text()).verify(BODY + " ", asReceived(call)))
        .isInstanceOf(WebhookVerificationException.class);
  }

  /** RFC 8032, section 7.1, test 1: its secret key, its public key, its signature of no bytes. */
  @Test
  void a_public_key_is_the_known_answer_of_RFC_8032() {
    byte[] seed =
        HexFormat.of().parseHex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
    WebhookSecret secret = WebhookSecret.parse("whsk_" + Base64.getEncoder().encodeToString(seed));

    byte[] publicKey = Base64.getDecoder().decode(secret.receiversText().substring(5));

    assertThat(secret.receiversText()).startsWith("whpk_");
    assertThat(HexFormat.of().formatHex(publicKey))
        .isEqualTo("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    assertThat(HexFormat.of().formatHex(secret.signature(new byte[0])))
        .startsWith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155");
  }

  @Test
  void who_has_the_public_key_verifies_and_the_reference_library_reads_the_v1_beside_it()
      throws Exception {
    WebhookSecret shared = WebhookSecret.make(Scheme.SHARED, new SecureRandom());
    WebhookSecret pair = WebhookSecret.make(Scheme.PUBLIC_KEY, new SecureRandom());

    Call call = call(pair, shared);

    Map<String, String> headers = headers(call);
    String both = headers.getOrDefault("webhook-signature", "");
    String signature = both.substring(0, both.indexOf(' '));
    assertThat(signature).startsWith("v1a,");
    byte[] key = Base64.getDecoder().decode(pair.receiversText().substring(5));
    Signature verifier = Signature.getInstance("Ed25519");
    verifier.initVerify(jdksKey(key));
    verifier.update(
        "%s.%s.%s"
            .formatted(headers.get("webhook-id"), headers.get("webhook-timestamp"), BODY)
            .getBytes(UTF_8));
    assertThat(verifier.verify(Base64.getDecoder().decode(signature.substring(4)))).isTrue();
    assertThatCode(() -> new Webhook(shared.text()).verify(BODY, asReceived(call)))
        .doesNotThrowAnyException();
    long at = Long.parseLong(headers.getOrDefault("webhook-timestamp", ""));
    assertThat(pair.verifies("msg_abc_12", at, BODY.getBytes(UTF_8), both)).isTrue();
    assertThat(pair.verifies("msg_abc_13", at, BODY.getBytes(UTF_8), both)).isFalse();
    assertThat(pair.verifies("msg_abc_12", at, BODY.getBytes(UTF_8), "v1a,AAAA v1a,é v1"))
        .isFalse();
    WebhookSecret other = WebhookSecret.make(Scheme.PUBLIC_KEY, new SecureRandom());
    assertThat(other.verifies("msg_abc_12", at, BODY.getBytes(UTF_8), both)).isFalse();
  }

  /** The key as the JDK wants it: the fixed beginning of its X.509 form, and its bytes. */
  private static PublicKey jdksKey(byte[] key) throws GeneralSecurityException {
    String form = "302a300506032b6570032100" + HexFormat.of().formatHex(key);
    return KeyFactory.getInstance("Ed25519")
        .generatePublic(new X509EncodedKeySpec(HexFormat.of().parseHex(form)));
  }

  @Test
  void no_redirect_is_followed_and_time_and_answer_are_bounded() {
    Call call = call(WebhookSecret.parse(EXAMPLE));

    assertThat(call.redirects()).isZero();
    assertThat(call.timeout()).hasSeconds(10);
    assertThat(call.connectTimeout()).hasSeconds(5);
    assertThat(call.maxBody()).isEqualTo(64 * 1024);
    assertThat(call.truncate()).isTrue();
  }

  @Test
  void a_secret_that_is_made_is_one_that_may_be_given_and_never_the_same() {
    WebhookSecret made = WebhookSecret.make(Scheme.SHARED, new SecureRandom());

    assertThat(WebhookSecret.parse(made.text()).text()).isEqualTo(made.text());
    assertThat(made.text()).startsWith("whsec_").hasSizeGreaterThan(45);
    assertThat(WebhookSecret.make(Scheme.SHARED, new SecureRandom()).text())
        .isNotEqualTo(made.text());
    assertThat(made.toString()).doesNotContain(made.text());
  }

  @ParameterizedTest
  @ValueSource(ints = {24, 32, 64})
  void a_key_of_24_to_64_bytes_is_taken(int bytes) {
    String text = "whsec_" + Base64.getEncoder().encodeToString(new byte[bytes]);

    assertThat(WebhookSecret.parse(text).text()).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "whsec_",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2 LaLaS",
        "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
      })
  void anything_else_is_not_and_is_not_repeated(String text) {
    assertThatThrownBy(() -> WebhookSecret.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("24 to 64")
        .satisfies(
            e ->
                assertThat(e.getMessage())
                    .doesNotContain(text.length() > 10 ? text.substring(6) : "MfKQ"));
  }
}
