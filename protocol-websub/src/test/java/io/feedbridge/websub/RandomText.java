package io.feedbridge.websub;

import java.util.Random;

/** Short texts full of characters that are easily got wrong. */
final class RandomText {
  private static final int[] ALPHABET =
      "aZ0 &=+%?#;,/\\\"'<>ü€\ud83d\ude00\t\r\n".codePoints().toArray();

  private RandomText() {}

  static String next(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(12); i > 0; i--) {
      text.appendCodePoint(ALPHABET[random.nextInt(ALPHABET.length)]);
    }
    return text.toString();
  }
}
