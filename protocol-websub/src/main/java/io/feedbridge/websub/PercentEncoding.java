package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;

/** Percent-encoding in URLs (RFC 3986 §2). */
final class PercentEncoding {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private PercentEncoding() {}

  /** Whether a complete triplet such as %2F begins there. */
  static boolean isAt(String text, int index) {
    return index + 2 < text.length()
        && text.charAt(index) == '%'
        && HexFormat.isHexDigit(text.charAt(index + 1))
        && HexFormat.isHexDigit(text.charAt(index + 2));
  }

  static boolean isUnreserved(int c) {
    boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    boolean digit = c >= '0' && c <= '9';
    return letter || digit || c == '-' || c == '.' || c == '_' || c == '~';
  }

  /**
   * Appends text whose triplets are complete. Triplets of unreserved characters are decoded, other
   * triplets are written in capitals, and characters beyond ASCII are encoded as UTF-8.
   */
  static StringBuilder normalize(String text, StringBuilder to) {
    int i = 0;
    while (i < text.length()) {
      int c = text.codePointAt(i);
      if (c == '%') {
        int octet = HexFormat.fromHexDigits(text, i + 1, i + 3);
        if (isUnreserved(octet)) {
          to.append((char) octet);
        } else {
          append((byte) octet, to);
        }
        i += 3;
      } else {
        if (c < 0x80) {
          to.append((char) c);
        } else {
          for (byte octet : Character.toString(c).getBytes(UTF_8)) {
            append(octet, to);
          }
        }
        i += Character.charCount(c);
      }
    }
    return to;
  }

  private static void append(byte octet, StringBuilder to) {
    to.append('%').append(HEX.toHexDigits(octet));
  }
}
