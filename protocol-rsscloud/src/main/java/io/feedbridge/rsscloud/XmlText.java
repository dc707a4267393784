package io.feedbridge.rsscloud;

import java.util.regex.Pattern;

/** Text made fit to be written as XML. */
final class XmlText {

  private static final int REPLACEMENT = 0xFFFD;

  private static final Pattern DECLARATION =
      Pattern.compile("^\\s*\\ufeff?\\s*<\\?xml\\s[^>]*\\?>");

  private XmlText() {}

  /** A document that is characters already: the encoding that it declares is none any more. */
  static String withoutDeclaration(String document) {
    return DECLARATION.matcher(document).replaceFirst("");
  }

  /**
   * Characters that XML has no way to write become U+FFFD, in JSON too, so that both say the same.
   */
  static String sendable(String text) {
    StringBuilder kept = new StringBuilder(text.length());
    text.codePoints().map(c -> isCharacter(c) ? c : REPLACEMENT).forEach(kept::appendCodePoint);
    return kept.toString();
  }

  /** XML 1.0, production 2. */
  private static boolean isCharacter(int c) {
    return c == '\t'
        || c == '\n'
        || c == '\r'
        || (c >= 0x20 && c <= 0xD7FF)
        || (c >= 0xE000 && c <= 0xFFFD)
        || (c >= 0x10000 && c <= 0x10FFFF);
  }
}
