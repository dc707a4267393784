package io.feedbridge.gateway.demo;

import java.io.PrintWriter;
import java.util.Map;

/**
 * Writes to a terminal, a file or a pipe: in colours only where the output understands them, and in
 * plain ASCII where other characters might not be legible. Not thread-safe.
 */
public final class Screen {

  private static final Map<Character, String> ASCII =
      Map.of('→', "->", '←', "<-", '✓', "ok", '✗', "--", '…', "...", '“', "\"", '”', "\"");

  private static final char FIRST_BEYOND_ASCII = 0x80;

  private final PrintWriter out;
  private final boolean unicode;
  private final boolean colour;

  /**
   * A screen.
   *
   * @param unicode whether arrows and check marks can be shown
   * @param colour whether it understands the colours of ECMA-48
   */
  public Screen(PrintWriter out, boolean unicode, boolean colour) {
    this.out = out;
    this.unicode = unicode;
    this.colour = colour;
  }

  /** The select graphic rendition codes of ECMA-48 that are in use here. */
  enum Style {
    BOLD(1),
    DIM(2),
    RED(31),
    GREEN(32),
    YELLOW(33),
    BLUE(34),
    MAGENTA(35),
    CYAN(36);

    private final int code;

    Style(int code) {
      this.code = code;
    }
  }

  /** The text in a style. */
  String styled(Style style, String text) {
    return colour ? "\u001b[" + style.code + "m" + text + "\u001b[0m" : text;
  }

  /** Writes a line and shows it at once. */
  void print(String line) {
    out.println(unicode ? line : ascii(line));
    out.flush();
  }

  private static String ascii(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      plain.append(c < FIRST_BEYOND_ASCII ? String.valueOf(c) : ASCII.getOrDefault(c, "?"));
    }
    return plain.toString();
  }
}
