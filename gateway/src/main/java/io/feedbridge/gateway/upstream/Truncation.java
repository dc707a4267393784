package io.feedbridge.gateway.upstream;

/** Makes text of an upstream fit for the store, the log and pages. */
final class Truncation {

  private static final int MAX_LENGTH = 200;

  private Truncation() {}

  /** The beginning of a text in one line, without control characters and halves of characters. */
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
