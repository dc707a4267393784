package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The value of {@code X-Hub-Signature}: {@code method=hex}, the HMAC of the exact bytes of the body
 * under the secret in UTF-8 (WebSub §7.1). Stateless.
 */
public final class Signature {
  private Signature() {}

  /**
   * Signs a body.
   *
   * @param secret not empty
   * @return such as {@code sha256=0a1b…}, hex in lower case
   */
  public static String sign(SignatureMethod method, String secret, byte[] body) {
    if (secret.isEmpty()) {
      throw new IllegalArgumentException("An empty secret means none: there is nothing to sign");
    }
    byte[] mac = method.mac(secret.getBytes(UTF_8), body);
    return method.value() + '=' + HexFormat.of().formatHex(mac);
  }

  /**
   * Whether the header signs the body under the secret, with whichever method it names. Takes a
   * time that does not depend on where the two differ.
   *
   * @param headerValue null when the delivery had none
   * @return false for anything missing or malformed and for an empty secret
   */
  public static boolean verify(@Nullable String headerValue, String secret, byte[] body) {
    if (headerValue == null || secret.isEmpty()) {
      return false;
    }
    int equals = headerValue.indexOf('=');
    if (equals < 0) {
      return false;
    }
    Optional<SignatureMethod> method = SignatureMethod.of(headerValue.substring(0, equals));
    String hex = headerValue.substring(equals + 1);
    if (method.isEmpty() || hex.length() != method.get().hexLength()) {
      return false;
    }
    String expected = HexFormat.of().formatHex(method.get().mac(secret.getBytes(UTF_8), body));
    return equal(expected, hex.toLowerCase(Locale.ROOT));
  }

  static boolean equal(String expected, String given) {
    return MessageDigest.isEqual(expected.getBytes(ISO_8859_1), given.getBytes(UTF_8));
  }
}
