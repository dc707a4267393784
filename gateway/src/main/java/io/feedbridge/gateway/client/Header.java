package io.feedbridge.gateway.client;

import io.netty.handler.codec.http.HttpHeaderValidationUtil;

/**
 * One field of a request. Characters of the value above U+00FF are sent as UTF-8, all others as
 * they are. A name that is no token (RFC 9110 §5.6.2) or a value with a control character (§5.5) is
 * an IllegalArgumentException.
 */
public record Header(String name, String value) {
  public Header {
    if (name.isEmpty() || HttpHeaderValidationUtil.validateToken(name) >= 0) {
      throw new IllegalArgumentException(
          "A header name must be a token: '" + printable(name) + "'");
    }
    if (HttpHeaderValidationUtil.validateValidHeaderValue(value) >= 0) {
      throw new IllegalArgumentException(
          "The value of header " + name + " holds a control character");
    }
  }

  private static String printable(String name) {
    return name.replaceAll("[^\\x21-\\x7e]", "?");
  }
}
