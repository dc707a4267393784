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
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The characters of a document, by the order of RFC 7303 §3: byte order mark, HTTP charset, XML
 * declaration, UTF-8. A label that the bytes contradict is passed over, with a note.
 */
final class DocumentText {
  private static final int DECLARATION_BYTES = 512;
  private static final Pattern HTTP_CHARSET =
      Pattern.compile("charset\\s*=\\s*[\"']?\\s*([^\\s\"';,]+)", Pattern.CASE_INSENSITIVE);
  private static final Pattern DECLARED =
      Pattern.compile("<\\?xml[^>]*?encoding\\s*=\\s*[\"']\\s*([A-Za-z0-9._:-]+)");
  private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");
  private static final Set<String> AS_WINDOWS_1252 =
      Set.of("iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "us-ascii", "ascii");
  private static final Charset UTF_32 = Charset.forName("UTF-32");

  private DocumentText() {}

  static String decode(byte[] body, @Nullable String contentType, List<String> repairs) {
    Charset marked = byteOrder(body);
    if (marked != null) {
      return unmarked(new String(body, marked));
    }
    @Nullable String[] labels = {httpCharset(contentType), declared(body), "utf-8"};
    for (String label : labels) {
      Charset charset = label == null ? null : charset(label);
      String text = charset == null ? null : strictly(body, charset);
      if (text != null) {
        return unmarked(text);
      }
      if (label != null && !label.equals("utf-8")) {
        repairs.add("The document is not in the charset it is labelled with (" + label + ").");
      }
    }
    repairs.add("The document is not in UTF-8 and was read as windows-1252.");
    return new String(body, WINDOWS_1252);
  }

  /** By a mark, or by the zero bytes around the first character of XML or JSON. */
  private static @Nullable Charset byteOrder(byte[] body) {
    if (body.length < 4) {
      return null;
    }
    int first = ByteBuffer.wrap(body).getInt();
    if (first == 0xFEFF || first == 0xFFFE0000 || first == '<' || first == '<' << 24) {
      return first == '<' << 24 ? Charset.forName("UTF-32LE") : UTF_32;
    }
    int two = first >>> 16;
    if (two == 0xFEFF || two == 0xFFFE) {
      return StandardCharsets.UTF_16;
    }
    if (two == '<' || two == '{') {
      return StandardCharsets.UTF_16BE;
    }
    if (two == '<' << 8 || two == '{' << 8) {
      return StandardCharsets.UTF_16LE;
    }
    return first >>> 8 == 0xEFBBBF ? StandardCharsets.UTF_8 : null;
  }

  private static @Nullable String httpCharset(@Nullable String contentType) {
    Matcher matcher = HTTP_CHARSET.matcher(contentType == null ? "" : contentType);
    return matcher.find() ? matcher.group(1) : null;
  }

  private static @Nullable String declared(byte[] body) {
    int length = Math.min(body.length, DECLARATION_BYTES);
    Matcher matcher = DECLARED.matcher(new String(body, 0, length, StandardCharsets.ISO_8859_1));
    return matcher.find() ? matcher.group(1) : null;
  }

  /** ASCII and Latin 1 are read as windows-1252, as every browser does (WHATWG Encoding). */
  private static @Nullable Charset charset(String label) {
    if (AS_WINDOWS_1252.contains(label.toLowerCase(Locale.ROOT))) {
      return WINDOWS_1252;
    }
    try {
      return Charset.forName(label);
    } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
      return null;
    }
  }

  private static @Nullable String strictly(byte[] body, Charset charset) {
    if (charset.equals(WINDOWS_1252)) {
      // A page labelled Latin 1 is as often in UTF-8; text in Latin 1 hardly ever is valid UTF-8
      String utf8 = strictly(body, StandardCharsets.UTF_8);
      return utf8 != null ? utf8 : new String(body, WINDOWS_1252);
    }
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

  private static String unmarked(String text) {
    return !text.isEmpty() && text.charAt(0) == '\uFEFF' ? text.substring(1) : text;
  }
}
