package io.feedbridge.gateway.client.address;

import java.util.Optional;

/**
 * The address that a URL leads to as the client reads it, so that a rule on the URL judges the host
 * that is dialled.
 *
 * @param secure whether by https
 * @param host in lower case, in ASCII, without a dot at its end; IPv6 without brackets
 * @param path with the query
 */
public record WebAddress(boolean secure, String host, int port, String path) {

  /** Takes a URL apart; empty for one that is never called. */
  public static Optional<WebAddress> of(String url) {
    try {
      Target target = Target.parse(url);
      Origin origin = target.origin();
      return Optional.of(
          new WebAddress(origin.secure(), origin.host(), origin.port(), target.requestTarget()));
    } catch (CallException e) {
      return Optional.empty();
    }
  }

  /** The host of a URL, as the client reads it; an empty text for a URL that is never called. */
  public static String hostOf(String url) {
    return of(url).map(WebAddress::host).orElse("");
  }

  /** Whether the port is the scheme's own. */
  public boolean hasUsualPort() {
    return port == (secure ? 443 : 80);
  }
}
