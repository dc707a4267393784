package io.feedbridge.normalizer;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/**
 * Hashes parts of one document, together with the surroundings that all of them depend on. Not
 * thread-safe.
 */
final class SourceHash {
  private final String text;
  private final byte[] surroundings;
  private final MessageDigest digest = EntryKey.sha256();

  SourceHash(String text, List<String> surroundings) {
    this.text = text;
    surroundings.forEach(part -> EntryKey.feed(digest, part));
    this.surroundings = digest.digest();
  }

  /**
   * 32 hexadecimal digits for the characters from {@code start} to {@code end}.
   *
   * @param without ranges within them that are passed over, in order: pairs of start and end
   */
  String of(int start, int end, List<int[]> without) {
    digest.update(surroundings);
    int from = start;
    for (int[] range : without) {
      update(from, range[0]);
      from = range[1];
    }
    update(from, end);
    return EntryKey.hex(digest);
  }

  /** Piece by piece: a copy of the whole document costs more than copies of its items. */
  private void update(int from, int to) {
    digest.update(text.substring(from, to).getBytes(StandardCharsets.UTF_8));
  }
}
