package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.server.message.Request;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signatures made by the JDK alone, so that the gateway's own are not judged by themselves. */
public final class Signed {

  private Signed() {}

  /** The value of {@code X-Hub-Signature} for a body. */
  public static String by(String method, String secret, byte[] body) {
    try {
      Mac mac = Mac.getInstance("Hmac" + method.toUpperCase(Locale.ROOT));
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), mac.getAlgorithm()));
      return method + "=" + HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(method, e);
    }
  }

  /** Whether a delivery is signed rightly, by sha256. */
  public static boolean with(String secret, Request delivery) {
    return with("sha256", secret, delivery);
  }

  /** Whether a delivery is signed rightly, by this method. */
  public static boolean with(String method, String secret, Request delivery) {
    return delivery
        .header("X-Hub-Signature")
        .filter(by(method, secret, delivery.body())::equals)
        .isPresent();
  }
}
