package io.feedbridge.gateway.server.message;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * application/x-www-form-urlencoded, as in queries and form bodies. Stricter than the decoders of
 * the JDK and of Netty, which replace malformed UTF-8 instead of refusing it: a URL that was
 * altered in silence would be a topic or callback that no client asked for.
 */
public final class Parameters {
  /** The most parameters of a query or form; more are refused. */
  static final int MAX_PARAMETERS = 1_024;

  private Parameters() {}

  /**
   * The parameters in the order of their first appearance, the values of each in order. A name
   * without {@code =} has the empty value; empty pairs are skipped.
   *
   * @param encoded one char per byte, so that bytes which should have been percent-encoded are
   *     still read as UTF-8
   * @throws BadRequestException at bad percent-encoding, malformed UTF-8 or too many parameters
   */
  public static Map<String, List<String>> parse(String encoded) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    int count = 0;
    for (int start = 0; start < encoded.length(); ) {
      int end = encoded.indexOf('&', start);
      end = end < 0 ? encoded.length() : end;
      if (end > start) {
        if (++count > MAX_PARAMETERS) {
          throw new BadRequestException("more than " + MAX_PARAMETERS + " parameters");
        }
        int equals = encoded.indexOf('=', start);
        int nameEnd = equals < 0 || equals > end ? end : equals;
        String name = decode(encoded.substring(start, nameEnd), true);
        String value = nameEnd == end ? "" : decode(encoded.substring(nameEnd + 1, end), true);
        parameters.computeIfAbsent(name, any -> new ArrayList<>(1)).add(value);
      }
      start = end + 1;
    }
    parameters.replaceAll((name, values) -> List.copyOf(values));
    return Collections.unmodifiableMap(parameters);
  }

  /**
   * Percent-decoding to UTF-8 (RFC 3986 §2.1).
   *
   * @param plusIsSpace true in queries and forms, false in paths
   * @throws BadRequestException at an escape that is not two hexadecimal digits, and at bytes that
   *     are not UTF-8
   */
  public static String decode(String encoded, boolean plusIsSpace) {
    byte[] bytes = new byte[encoded.length()];
    int length = 0;
    boolean ascii = true;
    for (int i = 0; i < encoded.length(); i++) {
      char c = encoded.charAt(i);
      if (c == '%') {
        int high = i + 1 < encoded.length() ? hexDigit(encoded.charAt(i + 1)) : -1;
        int low = i + 2 < encoded.length() ? hexDigit(encoded.charAt(i + 2)) : -1;
        if (high < 0 || low < 0) {
          throw new BadRequestException("bad percent-encoding: % needs two hexadecimal digits");
        }
        c = (char) (high << 4 | low);
        i += 2;
      } else if (c == '+' && plusIsSpace) {
        c = ' ';
      }
      ascii &= c < 0x80;
      bytes[length++] = (byte) c;
    }
    if (ascii) {
      return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, 0, length))
          .toString();
    } catch (CharacterCodingException e) {
      throw new BadRequestException("bad percent-encoding: the bytes are not UTF-8");
    }
  }

  /** Unlike {@link Character#digit} it knows no digits outside ASCII. */
  private static int hexDigit(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1;
  }
}
