package io.feedbridge.gateway.cli.remote;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** JSON in one line for an output that may be a terminal. */
public final class JsonLine {

  private JsonLine() {}

  /**
   * The same JSON without control characters: JSON allows DEL and U+0080 to U+009F as they are, and
   * terminals obey some of them.
   */
  public static String of(String json) {
    return new String(of(json.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
  }

  /** The JSON in UTF-8 without control characters. */
  public static byte[] of(byte[] json) {
    String text = new String(json, StandardCharsets.UTF_8);
    if (text.chars().noneMatch(Character::isISOControl)) {
      return json;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(json.length + 16);
    text.codePoints()
        .forEach(
            c ->
                out.writeBytes(
                    (Character.isISOControl(c) ? "\\u%04x".formatted(c) : Character.toString(c))
                        .getBytes(StandardCharsets.UTF_8)));
    return out.toByteArray();
  }
}
