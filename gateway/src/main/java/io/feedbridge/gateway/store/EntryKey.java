package io.feedbridge.gateway.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The identity of an entry: two feeds that have an entry with one id have two entries.
 *
 * @param feedId the feed that the entry is an entry of
 * @param id the entry's own id, which the feed chooses; of an id longer than {@link #MAX_ID} its
 *     hash, because no index of a database holds a text of any length
 */
public record EntryKey(long feedId, String id) {

  /** Characters of an entry's id that are kept; of a longer id its hash is kept. */
  public static final int MAX_ID = 512;

  private static final String HASHED = "sha256:";

  /** Characters of a SHA-256 in hexadecimal. */
  private static final int HEX = 64;

  /** The identity of an entry by its own id, or by a key that was made of it before. */
  public EntryKey {
    if (id.length() > MAX_ID) {
      id = HASHED + HexFormat.of().formatHex(sha256(id));
    }
  }

  /** The id in the 32 bytes of a SHA-256, for an index whose keys are all of one length. */
  public byte[] hash() {
    if (id.startsWith(HASHED) && id.length() == HASHED.length() + HEX) {
      try {
        return HexFormat.of().parseHex(id, HASHED.length(), id.length());
      } catch (IllegalArgumentException chosenByItsFeed) {
        return sha256(id);
      }
    }
    return sha256(id);
  }

  /**
   * This entry as one of a tracker, which has entries of many feeds.
   *
   * @param trackerId the tracker's own feed id
   */
  public EntryKey in(long trackerId) {
    String whole = feedId + ":" + id;
    return new EntryKey(trackerId, whole.length() <= MAX_ID ? whole : feedId + ":" + hashed());
  }

  /** The text that stands for the id where the id itself is too long. */
  public String hashed() {
    return HASHED + HexFormat.of().formatHex(hash());
  }

  /** The SHA-256 of a text. */
  public static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
