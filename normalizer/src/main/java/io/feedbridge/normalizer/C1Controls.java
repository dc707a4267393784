package io.feedbridge.normalizer;

import java.nio.charset.Charset;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The characters U+0080 to U+009F, which no author means: they are bytes of windows-1252 that were
 * taken for Latin 1, and every browser reads them so, as characters and as references to characters
 * (HTML 5, §13.2.5.80).
 */
final class C1Controls {
  private static final int FIRST = 0x80;
  private static final int LAST = 0x9F;
  private static final String CDATA = "<![CDATA[";
  private static final Pattern REFERENCE =
      Pattern.compile("&#(?:0*+(1(?:2[89]|[34]\\d|5\\d))|[xX]0*+([89][0-9A-Fa-f]));");

  /** By their distance from U+0080; the five bytes that windows-1252 lacks stay unchanged. */
  private static final String MEANT = meant();

  private C1Controls() {}

  private static String meant() {
    byte[] bytes = new byte[LAST - FIRST + 1];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (FIRST + i);
    }
    StringBuilder meant = new StringBuilder(new String(bytes, Charset.forName("windows-1252")));
    for (int i = 0; i < meant.length(); i++) {
      if (meant.charAt(i) == '\uFFFD') {
        meant.setCharAt(i, (char) (FIRST + i));
      }
    }
    return meant.toString();
  }

  /**
   * The text with the characters that are meant; itself where there is nothing to do.
   *
   * @param ascii whether no character of the text is beyond U+007F
   */
  static String mended(String text, boolean ascii, List<String> repairs) {
    String mended = references(ascii ? text : characters(text));
    if (!mended.equals(text)) {
      repairs.add("Control characters were read as their characters in windows-1252.");
    }
    return mended;
  }

  /** The text with the characters that are meant; itself where there is nothing to do. */
  static String characters(String text) {
    int at = 0;
    while (at < text.length() && !isControl(text.charAt(at))) {
      at++;
    }
    if (at == text.length()) {
      return text;
    }
    StringBuilder out = new StringBuilder(text);
    for (; at < out.length(); at++) {
      if (isControl(out.charAt(at))) {
        out.setCharAt(at, MEANT.charAt(out.charAt(at) - FIRST));
      }
    }
    return out.toString();
  }

  /** References outside CDATA: inside they are HTML, whose readers know the meaning. */
  private static String references(String text) {
    Matcher reference = REFERENCE.matcher(text);
    if (!isFound(reference, text)) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length());
    int at = 0;
    while (at < text.length()) {
      int cdata = text.indexOf(CDATA, at);
      int to = cdata < 0 ? text.length() : cdata;
      reference.region(at, to);
      while (reference.find()) {
        out.append(text, at, reference.start()).append(mended(reference));
        at = reference.end();
      }
      int end = cdata < 0 ? to : text.indexOf("]]>", cdata);
      end = end < 0 ? text.length() : end;
      out.append(text, at, end);
      at = end;
    }
    return out.toString();
  }

  /** Many documents have references, few have these; a search for one character is the fastest. */
  private static boolean isFound(Matcher reference, String text) {
    for (int at = text.indexOf('#', 1); at >= 0; at = text.indexOf('#', at + 1)) {
      if (text.charAt(at - 1) == '&' && reference.region(at - 1, text.length()).lookingAt()) {
        return true;
      }
    }
    return false;
  }

  /** The character that is meant; the reference itself where that is no other. */
  private static String mended(Matcher reference) {
    String decimal = reference.group(1);
    int code =
        decimal == null ? Integer.parseInt(reference.group(2), 16) : Integer.parseInt(decimal);
    int meant = meant(code);
    return meant == code ? reference.group() : Character.toString(meant);
  }

  /** The code point that is meant by a number: another one for a control. */
  static int meant(int codePoint) {
    return isControl(codePoint) ? MEANT.charAt(codePoint - FIRST) : codePoint;
  }

  private static boolean isControl(int c) {
    return c >= FIRST && c <= LAST;
  }
}
