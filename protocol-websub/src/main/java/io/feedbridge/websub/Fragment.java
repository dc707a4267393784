package io.feedbridge.websub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;

/** The fragment of a topic: a text, percent-encoded (RFC 3986 §3.5). */
final class Fragment {

  /** Characters that stand in a fragment as they are, beside letters and digits. */
  private static final String PLAIN = "-._~!$&'()*+,;=:@/?";

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private Fragment() {}

  /**
   * The one spelling of a fragment's text. Characters that should have been percent-encoded are
   * taken for themselves, since clients often leave that to the form.
   *
   * @throws BadHubRequestException if the text is not UTF-8 or has a control character
   */
  static String normalize(String name, String fragment) throws BadHubRequestException {
    String text;
    try {
      text = UTF_8.newDecoder().decode(ByteBuffer.wrap(octets(fragment))).toString().strip();
    } catch (CharacterCodingException e) {
      throw new BadHubRequestException(name + " has a fragment that is not UTF-8");
    }
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new BadHubRequestException(name + " has a control character in its fragment");
    }
    StringBuilder encoded = new StringBuilder();
    for (byte octet : text.getBytes(UTF_8)) {
      if (isPlain(octet)) {
        encoded.append((char) octet);
      } else {
        encoded.append('%').append(HEX.toHexDigits(octet));
      }
    }
    return encoded.toString();
  }

  /** The text of a normalized fragment. */
  static String text(String fragment) {
    return new String(octets(fragment), UTF_8);
  }

  private static boolean isPlain(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || PLAIN.indexOf(c) >= 0;
  }

  private static byte[] octets(String fragment) {
    ByteArrayOutputStream octets = new ByteArrayOutputStream(fragment.length());
    int at = 0;
    while (at < fragment.length()) {
      if (PercentEncoding.isAt(fragment, at)) {
        octets.write(HexFormat.fromHexDigits(fragment, at + 1, at + 3));
        at += 3;
      } else {
        int c = fragment.codePointAt(at);
        octets.writeBytes(Character.toString(c).getBytes(UTF_8));
        at += Character.charCount(c);
      }
    }
    return octets.toByteArray();
  }
}
