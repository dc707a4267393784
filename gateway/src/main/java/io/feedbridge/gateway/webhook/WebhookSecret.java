package io.feedbridge.gateway.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A key of the signatures (Standard Webhooks, "Signature scheme": symmetric). Immutable. */
public final class WebhookSecret {

  /** The prefix of a secret's text. */
  public static final String PREFIX = "whsec_";

  /** Bytes of the key. */
  public static final int MIN_BYTES = 24;

  public static final int MAX_BYTES = 64;

  /** Bytes of a key that is made here. */
  private static final int MADE_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";

  /** Never used but to be cloned: the search through the providers takes longer than to sign. */
  private static final Mac FRESH = fresh();

  private final String text;
  private final SecretKeySpec key;

  private WebhookSecret(String text, byte[] key) {
    this.text = text;
    this.key = new SecretKeySpec(key, ALGORITHM);
  }

  /**
   * A new secret.
   *
   * @param random unguessable
   */
  public static WebhookSecret make(RandomGenerator random) {
    byte[] key = new byte[MADE_BYTES];
    random.nextBytes(key);
    return new WebhookSecret(PREFIX + Base64.getEncoder().encodeToString(key), key);
  }

  /**
   * Reads the text of a secret.
   *
   * @throws IllegalArgumentException if it is not a secret; the message describes the format and
   *     does not contain the text
   */
  public static WebhookSecret parse(String text) {
    byte[] key = decode(text);
    if (key.length < MIN_BYTES || key.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "it is %s and the base64 of %d to %d random bytes"
              .formatted(PREFIX, MIN_BYTES, MAX_BYTES));
    }
    return new WebhookSecret(text, key);
  }

  private static byte[] decode(String text) {
    if (!text.startsWith(PREFIX)) {
      return new byte[0];
    }
    try {
      return Base64.getDecoder().decode(text.substring(PREFIX.length()));
    } catch (IllegalArgumentException notBase64) {
      return new byte[0];
    }
  }

  /** With its prefix, as receivers know it. */
  public String text() {
    return text;
  }

  /**
   * The signature of a message, with its version.
   *
   * @param timestamp seconds since the epoch
   */
  String sign(String id, long timestamp, byte[] body) {
    try {
      Mac mac = (Mac) FRESH.clone();
      mac.init(key);
      mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException | CloneNotSupportedException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /**
   * Whether one of the signatures of a message is by this key.
   *
   * @param timestamp seconds since the epoch, which the caller compares with its clock
   * @param signatures as in the header {@code webhook-signature}, separated by blanks
   */
  public boolean verifies(String id, long timestamp, byte[] body, String signatures) {
    byte[] expected = sign(id, timestamp, body).getBytes(StandardCharsets.US_ASCII);
    boolean found = false;
    for (String signature : signatures.split(" ", -1)) {
      found |= MessageDigest.isEqual(signature.getBytes(StandardCharsets.UTF_8), expected);
    }
    return found;
  }

  private static Mac fresh() {
    try {
      return Mac.getInstance(ALGORITHM);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  @Override
  public String toString() {
    return "WebhookSecret";
  }
}
