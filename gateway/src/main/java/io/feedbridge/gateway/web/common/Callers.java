package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.server.message.Request;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The origin of a request: the connection's other end, or, if that is a proxy that the operator
 * trusts, the address that the proxy names. Any client can write an {@code X-Forwarded-For}: of its
 * addresses only the ones that a trusted proxy has added count, which are the last ones.
 */
public final class Callers {

  private static final String FORWARDED_FOR = "X-Forwarded-For";

  /** Some proxies add the port. */
  private static final Pattern WITH_PORT = Pattern.compile("([0-9.]+|\\[[0-9A-Fa-f:.]+\\]):[0-9]+");

  /** A subscriber of IPv6 has all addresses that begin alike (RFC 6177). */

  /** Hexadecimal digits of a key that name the site of an IPv6 subscriber. */
  private static final int IPV6_SITE_DIGITS = 12;

  private final Networks trusted;

  public Callers(Networks trusted) {
    this.trusted = trusted;
  }

  /** The caller's IP address as text; IPv6 without brackets. */
  public String address(Request request) {
    InetAddress caller = request.peer().getAddress();
    List<String> hops =
        request.headers().all(FORWARDED_FOR).stream()
            .flatMap(line -> List.of(line.split(",", -1)).stream())
            .map(String::strip)
            .toList();
    for (int i = hops.size() - 1; i >= 0 && trusted.contains(caller); i--) {
      Optional<InetAddress> before = literal(hops.get(i));
      if (before.isEmpty()) {
        break;
      }
      caller = before.get();
    }
    return caller.getHostAddress();
  }

  /**
   * The key by which callers are told apart: the address, or for IPv6 the network of a subscriber.
   */
  public String key(Request request) {
    String text = address(request);
    return Networks.address(text).map(Networks::neighbourhood).orElse(text);
  }

  /** The network around a caller's key: 24 bits of an IPv4 address, 48 bits of an IPv6 network. */
  public static String network(String key) {
    int lastPart = key.lastIndexOf('.');
    return lastPart > 0
        ? key.substring(0, lastPart)
        : key.substring(0, Math.min(key.length(), IPV6_SITE_DIGITS));
  }

  private static Optional<InetAddress> literal(String hop) {
    Matcher matcher = WITH_PORT.matcher(hop);
    return Networks.address(matcher.matches() ? matcher.group(1) : hop);
  }
}
