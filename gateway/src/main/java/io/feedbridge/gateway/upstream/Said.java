package io.feedbridge.gateway.upstream;

/** What an upstream said, fit for the store, the log and people. */
final class Said {

  private static final int MAX_LENGTH = 200;

  private Said() {}

  /** The beginning of it in one line, without control characters and halves of characters. */
  static String of(String text) {
    StringBuilder line = new StringBuilder();
    text.strip()
        .codePoints()
        .limit(MAX_LENGTH)
        .map(
            c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? ' ' : c)
        .forEach(line::appendCodePoint);
    return line.toString();
  }
}
