package io.feedbridge.normalizer;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A 128-bit hash of an entry's id: a key of fixed size for ids of any length. */
public final class EntryKey {
  private static final int KEY_BYTES = 16;

  private EntryKey() {}

  /** 32 hexadecimal digits, the same for the same id for ever. */
  public static String of(String entryId) {
    MessageDigest digest = sha256();
    feed(digest, entryId);
    return hex(digest);
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** Length first, so that no two sequences of values give the same bytes; null is no text. */
  static void feed(MessageDigest digest, @Nullable String value) {
    byte[] bytes = value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8);
    int length = value == null ? -1 : bytes.length;
    for (int shift = 24; shift >= 0; shift -= 8) {
      digest.update((byte) (length >>> shift));
    }
    digest.update(bytes);
  }

  static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest(), 0, KEY_BYTES);
  }
}
