package io.feedbridge.gateway.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/** A key of the signatures (Standard Webhooks, "Signature scheme"). Immutable. */
public abstract sealed class WebhookSecret {

  /** The prefix of a secret that both sides know. */
  public static final String PREFIX = "whsec_";

  /** The prefix of a secret that the gateway alone knows. */
  public static final String PRIVATE_PREFIX = "whsk_";

  /** The prefix of the public key of such a secret. */
  public static final String PUBLIC_PREFIX = "whpk_";

  /** Bytes of a key that both sides know. */
  public static final int MIN_BYTES = 24;

  public static final int MAX_BYTES = 64;

  /** Bytes of a key that is made here. */
  private static final int MADE_BYTES = 32;

  private final String text;

  private WebhookSecret(String text) {
    this.text = text;
  }

  /** The two schemes, by the version of their signatures. */
  public enum Scheme {
    /** HMAC-SHA256 with a secret that both sides know: {@code v1}. */
    SHARED("v1", PREFIX),
    /** Ed25519, whose public key verifies and cannot sign: {@code v1a}. */
    PUBLIC_KEY("v1a", PRIVATE_PREFIX);

    private final String version;
    private final String prefix;

    Scheme(String version, String prefix) {
      this.version = version;
      this.prefix = prefix;
    }

    /** As signatures begin. */
    public String version() {
      return version;
    }

    /** The scheme of a version; empty if there is no such version. */
    public static Optional<Scheme> of(String version) {
      return Arrays.stream(values()).filter(one -> one.version.equals(version)).findFirst();
    }
  }

  /**
   * A new secret.
   *
   * @param random unguessable
   */
  public static WebhookSecret make(Scheme scheme, RandomGenerator random) {
    byte[] key = new byte[MADE_BYTES];
    random.nextBytes(key);
    return parse(scheme.prefix + Base64.getEncoder().encodeToString(key));
  }

  /**
   * Reads the text of a secret.
   *
   * @throws IllegalArgumentException if it is not a secret; the message describes the format and
   *     does not contain the text
   */
  public static WebhookSecret parse(String text) {
    Optional<byte[]> seed =
        decode(text, PRIVATE_PREFIX).filter(key -> key.length == Ed25519.SECRET_KEY_SIZE);
    if (seed.isPresent()) {
      return new Private(text, seed.get());
    }
    return decode(text, PREFIX)
        .filter(key -> key.length >= MIN_BYTES && key.length <= MAX_BYTES)
        .map(key -> new Shared(text, key))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "it is %s and the base64 of %d to %d random bytes, or %s and the base64 of %d"
                        .formatted(
                            PREFIX,
                            MIN_BYTES,
                            MAX_BYTES,
                            PRIVATE_PREFIX,
                            Ed25519.SECRET_KEY_SIZE)));
  }

  private static Optional<byte[]> decode(String text, String prefix) {
    if (!text.startsWith(prefix)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Base64.getDecoder().decode(text.substring(prefix.length())));
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }

  /** With its prefix, as the store has it. */
  public String text() {
    return text;
  }

  /** How it signs. */
  public abstract Scheme scheme();

  /** The text that a receiver verifies with, with its prefix: the secret, or the public key. */
  public abstract String receiversText();

  /** The signature of a message without its version. */
  abstract byte[] signature(byte[] message);

  /** Whether a signature of a message is by this key. */
  abstract boolean isSignature(byte[] signature, byte[] message);

  /**
   * The signature of a message, with its version.
   *
   * @param timestamp seconds since the epoch
   */
  public String sign(String id, long timestamp, byte[] body) {
    byte[] signature = signature(message(id, timestamp, body));
    return scheme().version() + "," + Base64.getEncoder().encodeToString(signature);
  }

  /**
   * Whether one of the signatures of a message is by this key.
   *
   * @param timestamp seconds since the epoch, which the caller compares with its clock
   * @param signatures as in the header {@code webhook-signature}, separated by blanks
   */
  public boolean verifies(String id, long timestamp, byte[] body, String signatures) {
    byte[] message = message(id, timestamp, body);
    boolean found = false;
    for (String signature : signatures.split(" ", -1)) {
      found |=
          decode(signature, scheme().version() + ",")
              .filter(bytes -> isSignature(bytes, message))
              .isPresent();
    }
    return found;
  }

  private static byte[] message(String id, long timestamp, byte[] body) {
    byte[] head = (id + "." + timestamp + ".").getBytes(UTF_8);
    byte[] message = Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, message, head.length, body.length);
    return message;
  }

  @Override
  public String toString() {
    return "WebhookSecret";
  }

  private static final class Shared extends WebhookSecret {

    private static final String ALGORITHM = "HmacSHA256";

    /** Never used but to be cloned: the search through the providers takes longer than to sign. */
    private static final Mac FRESH = fresh();

    private final SecretKeySpec key;

    Shared(String text, byte[] key) {
      super(text);
      this.key = new SecretKeySpec(key, ALGORITHM);
    }

    private static Mac fresh() {
      try {
        return Mac.getInstance(ALGORITHM);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every JDK has " + ALGORITHM, e);
      }
    }

    @Override
    public Scheme scheme() {
      return Scheme.SHARED;
    }

    @Override
    public String receiversText() {
      return text();
    }

    @Override
    byte[] signature(byte[] message) {
      try {
        Mac mac = (Mac) FRESH.clone();
        mac.init(key);
        return mac.doFinal(message);
      } catch (GeneralSecurityException | CloneNotSupportedException e) {
        throw new IllegalStateException("every JDK has " + ALGORITHM, e);
      }
    }

    @Override
    boolean isSignature(byte[] signature, byte[] message) {
      return MessageDigest.isEqual(signature, signature(message));
    }
  }

  private static final class Private extends WebhookSecret {

    private final byte[] seed;
    private final byte[] publicKey = new byte[Ed25519.PUBLIC_KEY_SIZE];

    Private(String text, byte[] seed) {
      super(text);
      this.seed = seed;
      Ed25519.generatePublicKey(seed, 0, publicKey, 0);
    }

    @Override
    public Scheme scheme() {
      return Scheme.PUBLIC_KEY;
    }

    @Override
    public String receiversText() {
      return PUBLIC_PREFIX + Base64.getEncoder().encodeToString(publicKey);
    }

    @Override
    byte[] signature(byte[] message) {
      byte[] signature = new byte[Ed25519.SIGNATURE_SIZE];
      Ed25519.sign(seed, 0, publicKey, 0, message, 0, message.length, signature, 0);
      return signature;
    }

    @Override
    boolean isSignature(byte[] signature, byte[] message) {
      return signature.length == Ed25519.SIGNATURE_SIZE
          && Ed25519.verify(signature, 0, publicKey, 0, message, 0, message.length);
    }
  }
}
