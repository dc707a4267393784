package io.feedbridge.normalizer;

/** The characters that XML 1.0 allows (§2.2). */
final class XmlChars {
  /** The repair of a document that has others. */
  static final String DROPPED = "Characters that XML does not allow were dropped.";

  private XmlChars() {}

  static boolean isLegal(int codePoint) {
    return codePoint >= 0x20
        ? codePoint <= 0xD7FF
            || (codePoint >= 0xE000 && codePoint <= 0xFFFD)
            || (codePoint >= 0x10000 && codePoint <= 0x10FFFF)
        : codePoint == '\t' || codePoint == '\n' || codePoint == '\r';
  }

  static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }

  /** The text without characters that XML cannot hold; itself where there is nothing to drop. */
  static String legal(String text) {
    int at = firstIllegal(text);
    if (at < 0) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length()).append(text, 0, at);
    text.substring(at).codePoints().filter(XmlChars::isLegal).forEach(out::appendCodePoint);
    return out.toString();
  }

  /**
   * The text without U+FFFE and U+FFFF, which a reader of XML lets pass and a tree does not hold;
   * itself where there are none.
   */
  static String characters(String text) {
    return text.indexOf('\uFFFE') < 0 && text.indexOf('\uFFFF') < 0
        ? text
        : text.replace("\uFFFE", "").replace("\uFFFF", "");
  }

  private static int firstIllegal(String text) {
    for (int i = 0; i < text.length(); ) {
      int codePoint = text.codePointAt(i);
      if (!isLegal(codePoint)) {
        return i;
      }
      i += Character.charCount(codePoint);
    }
    return -1;
  }
}
