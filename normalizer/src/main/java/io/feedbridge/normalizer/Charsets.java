package io.feedbridge.normalizer;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Charsets by the labels that documents have, and the text of bytes in them. A label stands for the
 * charset that its users write, which is often a later and larger one (WHATWG Encoding, §4.2).
 */
final class Charsets {
  static final Charset WINDOWS_1252 = Charset.forName("windows-1252");

  private static final Map<String, String> MEANT =
      Map.ofEntries(
          Map.entry("iso-8859-1", "windows-1252"),
          Map.entry("iso8859-1", "windows-1252"),
          Map.entry("iso_8859-1", "windows-1252"),
          Map.entry("latin1", "windows-1252"),
          Map.entry("latin-1", "windows-1252"),
          Map.entry("us-ascii", "windows-1252"),
          Map.entry("ascii", "windows-1252"),
          Map.entry("iso-8859-9", "windows-1254"),
          Map.entry("latin5", "windows-1254"),
          Map.entry("iso-8859-11", "x-windows-874"),
          Map.entry("tis-620", "x-windows-874"),
          Map.entry("gb2312", "GB18030"),
          Map.entry("gbk", "GB18030"),
          Map.entry("x-gbk", "GB18030"),
          Map.entry("big5", "Big5-HKSCS"),
          Map.entry("shift_jis", "windows-31j"),
          Map.entry("shift-jis", "windows-31j"),
          Map.entry("sjis", "windows-31j"),
          Map.entry("x-sjis", "windows-31j"),
          Map.entry("euc-kr", "x-windows-949"),
          Map.entry("ks_c_5601-1987", "x-windows-949"));

  /** Of so many characters one may be wrong in a charset that is believed all the same. */
  private static final int TOLERANCE = 100;

  private Charsets() {}

  /** The charset that is meant by a label; null for an unknown one. */
  static @Nullable Charset labelled(String label) {
    String meant = MEANT.get(label.toLowerCase(Locale.ROOT));
    for (String name : meant == null ? List.of(label) : List.of(meant, label)) {
      try {
        return Charset.forName(name);
      } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
        // A runtime without the larger charset may have the smaller one
      }
    }
    return null;
  }

  /** Whether a document in the charset has a zero byte in nearly every character of markup. */
  static boolean isWide(Charset charset) {
    return charset.name().startsWith("UTF-16") || charset.name().startsWith("UTF-32");
  }

  /** The text; null if some bytes are nothing in the charset. */
  static @Nullable String strictly(byte[] body, Charset charset) {
    String text = new String(body, charset);
    if (text.indexOf('\uFFFD') < 0) {
      return text;
    }
    // The decoder writes this character for bytes that it cannot decode; a document can have it too
    try {
      return charset
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(body))
          .toString();
    } catch (CharacterCodingException contradicted) {
      return null;
    }
  }

  /** The text if hardly anything of it is wrong in the charset; else null. */
  static @Nullable String nearly(byte[] body, Charset charset) {
    String text = new String(body, charset);
    long wrong = text.chars().filter(c -> c == '\uFFFD').count();
    return wrong * TOLERANCE <= text.length() ? text : null;
  }

  /**
   * UTF-8 into which bytes of windows-1252 were pasted, each read in its own charset; null if more
   * of the characters beyond ASCII are such bytes than are UTF-8.
   */
  static @Nullable String mixed(byte[] body) {
    StringBuilder text = new StringBuilder(body.length);
    int right = 0;
    int wrong = 0;
    for (int at = 0; at < body.length; ) {
      int length = lengthOfUtf8(body, at);
      if (length == 0) {
        wrong++;
        text.append(new String(body, at, 1, WINDOWS_1252));
        at++;
      } else {
        right += length > 1 ? 1 : 0;
        text.append(
            length == 1 ? (char) body[at] : new String(body, at, length, StandardCharsets.UTF_8));
        at += length;
      }
    }
    return right > wrong ? text.toString() : null;
  }

  /** Bytes of the character that begins here; 0 if none does. */
  private static int lengthOfUtf8(byte[] body, int at) {
    int first = body[at];
    if (first >= 0) {
      return 1;
    }
    int length =
        (first & 0xE0) == 0xC0 ? 2 : (first & 0xF0) == 0xE0 ? 3 : (first & 0xF8) == 0xF0 ? 4 : 0;
    if (length == 0 || at + length > body.length) {
      return 0;
    }
    // The decoder knows overlong forms, surrogates and numbers beyond Unicode
    String character = new String(body, at, length, StandardCharsets.UTF_8);
    boolean itself = length == 3 && (first & 0xFF) == 0xEF && character.equals("\uFFFD");
    return character.codePointCount(0, character.length()) == 1
            && (character.indexOf('\uFFFD') < 0 || itself)
        ? length
        : 0;
  }
}
