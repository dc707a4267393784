package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;

/**
 * The {@code hub.verify_token} of a topic: its HMAC under a key of the subscriber's. A hub that has
 * seen the token of one topic cannot guess that of another, and none need be stored.
 */
public final class VerifyToken {
  private VerifyToken() {}

  /**
   * The token, 64 hexadecimal digits.
   *
   * @param key not empty; 32 random bytes are right
   */
  public static String of(byte[] key, String topic) {
    return HexFormat.of().formatHex(SignatureMethod.SHA256.mac(key, topic.getBytes(UTF_8)));
  }
}
