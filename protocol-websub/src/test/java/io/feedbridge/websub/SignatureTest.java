package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class SignatureTest {
  private static final byte[] BODY = "what do ya want for nothing?".getBytes(UTF_8);

  @Nested
  class H11_signing {
    /** Test case 2 of RFC 2202 §3 and of RFC 4231. */
    @ParameterizedTest
    @CsvSource({
      "SHA1,sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
      "SHA256,sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      "SHA384,sha384=af45d2e376484031617f78d2b58a6b1b"
          + "9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
      "SHA512,sha512=164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
          + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    })
    void H11_the_header_is_the_hmac_of_the_body(SignatureMethod method, String header) {
      assertThat(Signature.sign(method, "Jefe", BODY)).isEqualTo(header);
      assertThat(Signature.verify(header, "Jefe", BODY)).isTrue();
    }

    @Test
    void H11_a_secret_longer_than_a_block_is_a_secret() {
      String secret = "é".repeat(99);
      String header = Signature.sign(SignatureMethod.SHA256, secret, BODY);
      assertThat(header)
          .isEqualTo("sha256=ee99fdcc54feb6926e65cfa23fffb852edaecb0acda194c0a344f8ab0b61fe8e");
    }

    @Test
    void H11_the_empty_body_has_a_signature() {
      assertThat(Signature.sign(SignatureMethod.SHA1, "key", new byte[0]))
          .isEqualTo("sha1=f42bb0eeb018ebbd4597ae7213711ec60760843f");
    }

    @Test
    void H11_no_secret_no_signature() {
      assertThatThrownBy(() -> Signature.sign(SignatureMethod.SHA1, "", BODY))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Nested
  class S7_verifying {
    private final String sha1 = Signature.sign(SignatureMethod.SHA1, "key", BODY);

    @ParameterizedTest
    @EnumSource
    void S7_any_of_the_four_methods_is_verified_and_any_change_is_noticed(SignatureMethod method) {
      Random random = new Random(7);
      for (int round = 0; round < 200; round++) {
        byte[] body = new byte[1 + random.nextInt(300)];
        random.nextBytes(body);
        String secret = RandomToken.next(random);
        String header = Signature.sign(method, secret, body);
        assertThat(Signature.verify(header, secret, body)).isTrue();
        assertThat(Signature.verify(header, secret + "x", body)).isFalse();
        char[] changed = header.toCharArray();
        int at = header.indexOf('=') + 1 + random.nextInt(method.hexLength());
        changed[at] = changed[at] == '0' ? '1' : '0';
        assertThat(Signature.verify(new String(changed), secret, body)).isFalse();
        body[random.nextInt(body.length)] ^= 1;
        assertThat(Signature.verify(header, secret, body)).isFalse();
      }
    }

    @Test
    void S7_case_does_not_matter() {
      assertThat(Signature.verify(sha1.toUpperCase(Locale.ROOT), "key", BODY)).isTrue();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
        strings = {
          "",
          "=",
          "sha1",
          "sha1=",
          "sha256=",
          "md5=d41d8cd98f00b204e9800998ecf8427e",
          "sha1=zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
          "sha1=ééééééééééééééééééééééééééééééééééééééééé",
          "sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c7",
          "sha256=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
        })
    void S7_missing_or_malformed_is_simply_false(@Nullable String header) {
      assertThat(Signature.verify(header, "key", BODY)).isFalse();
      assertThat(Signature.verify(header, "", BODY)).isFalse();
    }

    @Test
    void S7_nothing_before_or_after_the_signature_is_ignored() {
      assertThat(Signature.verify(sha1, "key", BODY)).isTrue();
      assertThat(Signature.verify(" " + sha1, "key", BODY)).isFalse();
      assertThat(Signature.verify(sha1 + " ", "key", BODY)).isFalse();
      assertThat(Signature.verify(sha1 + "0", "key", BODY)).isFalse();
      assertThat(Signature.verify(sha1, "", BODY)).isFalse();
    }
  }
}
