package io.feedbridge.gateway.client;

import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One field of a request. Characters of the value above U+00FF are sent as UTF-8, all others as
 * they are. It is checked and encoded when it is made: one that is the same for very many requests
 * is best made once. Immutable.
 */
public final class Header {
  private static final int MAX_LATIN1 = 0xff;

  private static final List<String> CLIENTS_OWN =
      List.of(
          "host",
          "content-length",
          "transfer-encoding",
          "connection",
          "keep-alive",
          "upgrade",
          "expect",
          "te",
          "trailer",
          "accept-encoding");

  private final String name;
  private final String value;
  private final byte[] line;

  /**
   * A field for callers to send.
   *
   * @throws IllegalArgumentException if the name is no token (RFC 9110 §5.6.2) or one of {@link
   *     #clientsOwn}, or the value holds a control character (§5.5)
   */
  public Header(String name, String value) {
    this(new Name(name), value);
  }

  private Header(Name named, String value) {
    name = named.name;
    if (HttpHeaderValidationUtil.validateValidHeaderValue(value) >= 0) {
      throw new IllegalArgumentException(
          "The value of header " + name + " holds a control character");
    }
    this.value = value;
    line = (name + ": " + onWire(value) + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The name of a field that has many values, which is checked once, as {@link Header} does. */
  public record Name(String name) {
    public Name {
      if (name.isEmpty() || HttpHeaderValidationUtil.validateToken(name) >= 0) {
        throw new IllegalArgumentException(
            "A header name must be a token: '" + printable(name) + "'");
      }
      if (isClientsOwn(name)) {
        throw new IllegalArgumentException("The client itself decides on the header " + name);
      }
    }

    /**
     * The field with this value.
     *
     * @throws IllegalArgumentException as {@link Header} does
     */
    public Header with(String value) {
      return new Header(this, value);
    }
  }

  private static boolean isClientsOwn(String name) {
    for (String own : CLIENTS_OWN) {
      if (own.equalsIgnoreCase(name)) {
        return true;
      }
    }
    return false;
  }

  private static String printable(String name) {
    return name.replaceAll("[^\\x21-\\x7e]", "?");
  }

  private static String onWire(String value) {
    for (int i = 0; i < value.length(); i++) {
      if (value.charAt(i) > MAX_LATIN1) {
        return new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
      }
    }
    return value;
  }

  /**
   * The lower-case names of the headers that callers may not set, since the client's framing
   * depends on them.
   */
  public static List<String> clientsOwn() {
    return CLIENTS_OWN;
  }

  public String name() {
    return name;
  }

  public String value() {
    return value;
  }

  boolean isNamed(String other) {
    return name.equalsIgnoreCase(other);
  }

  /** The field with the end of its line, as it goes on the wire; not to be changed. */
  byte[] line() {
    return line;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Header header && name.equals(header.name) && value.equals(header.value);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + value.hashCode();
  }

  /** Without the value, which may be a secret. */
  @Override
  public String toString() {
    return "Header[" + name + "]";
  }
}
