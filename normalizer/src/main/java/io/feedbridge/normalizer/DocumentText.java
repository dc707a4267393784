package io.feedbridge.normalizer;

import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The characters of a document, by the order of RFC 7303 §3: byte order mark, HTTP charset, XML
 * declaration, UTF-8. A label that the bytes contradict is passed over, with a note.
 */
final class DocumentText {
  private static final int DECLARATION_BYTES = 512;
  private static final int ASCII_STEP = 32;

  /** Of so many times four bytes the zeros are counted. */
  private static final int WIDE_FOURS = 32;

  private static final Pattern HTTP_CHARSET =
      Pattern.compile("charset\\s*=\\s*[\"']?\\s*([^\\s\"';,]+)", Pattern.CASE_INSENSITIVE);
  private static final Pattern DECLARED =
      Pattern.compile("<\\?xml[^>]*?encoding\\s*=\\s*[\"']\\s*([A-Za-z0-9._:-]+)");
  private static final Charset UTF_32 = Charset.forName("UTF-32");

  private DocumentText() {}

  static String decode(byte[] body, @Nullable String contentType, List<String> repairs) {
    String text = characters(body, contentType, repairs);
    boolean ascii = text.length() == body.length && isAscii(body);
    String characters = ascii ? text : XmlChars.characters(text);
    if (characters.length() < text.length()) {
      repairs.add(XmlChars.DROPPED);
    }
    return C1Controls.mended(unmarked(characters), ascii, repairs);
  }

  private static String characters(
      byte[] body, @Nullable String contentType, List<String> repairs) {
    Charset marked = byteOrder(body);
    if (marked != null) {
      return new String(body, marked);
    }
    @Nullable String[] labels = {httpCharset(contentType), declared(body)};
    List<Charset> contradicted = new ArrayList<>();
    for (String label : labels) {
      if (label == null) {
        continue;
      }
      Charset charset = Charsets.labelled(label);
      String text = charset == null ? null : labelled(body, charset);
      // Latin 1 has a byte for each character; where there are fewer it was UTF-8
      boolean utf8 =
          text != null && Charsets.WINDOWS_1252.equals(charset) && text.length() < body.length;
      if (text == null || utf8) {
        repairs.add("The document is not in the charset it is labelled with (" + label + ").");
      }
      if (text != null) {
        return text;
      }
      if (charset != null && !Charsets.isWide(charset)) {
        contradicted.add(charset);
      }
    }
    String utf8 = Charsets.strictly(body, StandardCharsets.UTF_8);
    return utf8 != null ? utf8 : unlabelled(body, contradicted, repairs);
  }

  private static @Nullable String labelled(byte[] body, Charset charset) {
    if (Charsets.isWide(charset)) {
      // Then it would have been known by its zero bytes
      return null;
    }
    if (!charset.equals(Charsets.WINDOWS_1252)) {
      return Charsets.strictly(body, charset);
    }
    // A page labelled Latin 1 is as often in UTF-8; text in Latin 1 hardly ever is valid UTF-8
    String utf8 = Charsets.strictly(body, StandardCharsets.UTF_8);
    return utf8 != null ? utf8 : new String(body, Charsets.WINDOWS_1252);
  }

  /** The text of bytes that are in no charset as a whole. */
  private static String unlabelled(byte[] body, List<Charset> contradicted, List<String> repairs) {
    String mixed = Charsets.mixed(body);
    if (mixed != null) {
      repairs.add("Bytes that are not UTF-8 were read as windows-1252.");
      return mixed;
    }
    for (Charset charset : contradicted) {
      String nearly =
          charset.equals(StandardCharsets.UTF_8) ? null : Charsets.nearly(body, charset);
      if (nearly != null) {
        repairs.add("Bytes that are not " + charset.name() + " were passed over.");
        return nearly;
      }
    }
    repairs.add("The document is not in UTF-8 and was read as windows-1252.");
    return new String(body, Charsets.WINDOWS_1252);
  }

  /** By a mark, or by the zero bytes around the first characters. */
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
    // A zero byte before a document in UTF-8 is none of a wide character
    boolean followed = (first & 0xFF00) == 0 || (first & 0xFF) == 0;
    if (followed && (two == '<' || two == '{')) {
      return StandardCharsets.UTF_16BE;
    }
    if (followed && (two == '<' << 8 || two == '{' << 8)) {
      return StandardCharsets.UTF_16LE;
    }
    return first >>> 8 == 0xEFBBBF ? StandardCharsets.UTF_8 : wide(body);
  }

  /** The charset by the places of zero bytes where something stands before the first character. */
  private static @Nullable Charset wide(byte[] body) {
    int[] zeros = new int[4];
    int fours = Math.min(body.length / 4, WIDE_FOURS);
    for (int i = 0; i < 4 * fours; i++) {
      zeros[i % 4] += body[i] == 0 ? 1 : 0;
    }
    // White space, markup and English have hardly another character beyond Latin 1
    int most = fours - fours / 8;
    boolean even = zeros[0] >= most && zeros[2] >= most;
    boolean odd = zeros[1] >= most && zeros[3] >= most;
    if (even && zeros[1] >= most) {
      return UTF_32;
    }
    if (odd && zeros[2] >= most) {
      return Charset.forName("UTF-32LE");
    }
    if (even == odd) {
      return null;
    }
    return even ? StandardCharsets.UTF_16BE : StandardCharsets.UTF_16LE;
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

  /** Many bytes at a time: it is asked of nearly every document. */
  private static boolean isAscii(byte[] body) {
    ByteBuffer bytes = ByteBuffer.wrap(body);
    int at = 0;
    for (; at + ASCII_STEP <= body.length; at += ASCII_STEP) {
      long any =
          bytes.getLong(at)
              | bytes.getLong(at + 8)
              | bytes.getLong(at + 16)
              | bytes.getLong(at + 24);
      if ((any & 0x8080808080808080L) != 0) {
        return false;
      }
    }
    while (at < body.length && body[at] >= 0) {
      at++;
    }
    return at == body.length;
  }

  private static String unmarked(String text) {
    return !text.isEmpty() && text.charAt(0) == '\uFEFF' ? text.substring(1) : text;
  }
}
