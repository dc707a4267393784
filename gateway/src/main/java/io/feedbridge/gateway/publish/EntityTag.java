package io.feedbridge.gateway.publish;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Strong entity tags (RFC 9110 §8.8.3). */
public final class EntityTag {

  private static final int BYTES = 16;

  private EntityTag() {}

  /** A hash of a document, in quotes. */
  public static String of(byte[] document) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(document);
      return "\"" + HexFormat.of().formatHex(hash, 0, BYTES) + "\"";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
