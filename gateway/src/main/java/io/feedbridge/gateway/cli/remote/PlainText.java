package io.feedbridge.gateway.cli.remote;

/**
 * Text of others, made fit for one line of a terminal. A feed's title may hold escape sequences
 * that clear the screen, rename the window or type commands, and marks that reverse the order of
 * letters.
 */
public final class PlainText {

  /** The most characters of a text; longer URLs are cut too. */
  public static final int MAX = 2_000;

  private static final int REPLACEMENT = 0xFFFD;
  private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
  private static final int ZERO_WIDTH_JOINER = 0x200D;
  private static final String CUT = "…";

  private PlainText() {}

  /** The text in one line of at most {@link #MAX} characters. */
  public static String of(String text) {
    return of(text, MAX);
  }

  /**
   * The text in one line: runs of white space are one blank, and each invisible character is
   * replaced by U+FFFD, so that its place shows.
   *
   * @param most the most characters, at least 1; a longer text is cut off
   */
  public static String of(String text, int most) {
    StringBuilder plain = new StringBuilder(Math.min(text.length(), most + 2));
    boolean blank = false;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (isBlank(c)) {
        blank = plain.length() > 0;
        continue;
      }
      if (plain.length() >= most) {
        return plain.append(CUT).toString();
      }
      if (blank) {
        plain.append(' ');
        blank = false;
      }
      plain.appendCodePoint(isSeen(c) ? c : REPLACEMENT);
    }
    return plain.toString();
  }

  private static boolean isBlank(int c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c);
  }

  private static boolean isSeen(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.SURROGATE -> false;
      // Marks of direction and hidden tags; the joiners are part of how words and emoji are
      // written.
      case Character.FORMAT -> c == ZERO_WIDTH_JOINER || c == ZERO_WIDTH_NON_JOINER;
      default -> true;
    };
  }
}
