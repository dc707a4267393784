package io.feedbridge.gateway.ingest.hosts;

import java.util.Locale;

/**
 * The origin of a feed.
 *
 * @param host name or address without the port, in lower case: one machine is one host, whatever
 *     its ports
 * @param authority host and port as the URL has them, in lower case; a server's {@code Retry-After}
 *     holds for this alone
 */
public record Origin(String host, String authority) {

  /** The origin of an http or https URL. */
  public static Origin of(String url) {
    int start = url.indexOf("://") + 3;
    int end = start;
    while (end < url.length() && "/?#\\".indexOf(url.charAt(end)) < 0) {
      end++;
    }
    String authority = url.substring(start, end).toLowerCase(Locale.ROOT);
    return new Origin(host(authority.substring(authority.lastIndexOf('@') + 1)), authority);
  }

  private static String host(String authority) {
    int colon = authority.lastIndexOf(':');
    String host = colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
  }
}
