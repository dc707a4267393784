package io.feedbridge.gateway.face;

import io.feedbridge.gateway.client.Networks;
import io.feedbridge.gateway.server.Request;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a request comes from: the connection's other end, or, where that is a proxy that the
 * operator trusts, whoever the proxy says. Anyone can write an {@code X-Forwarded-For}: of its
 * addresses only those count that a trusted proxy has added, which are the last ones.
 */
final class Callers {

  private static final String FORWARDED_FOR = "X-Forwarded-For";

  /** Some proxies add the port. */
  private static final Pattern WITH_PORT = Pattern.compile("([0-9.]+|\\[[0-9A-Fa-f:.]+\\]):[0-9]+");

  private final Networks trusted;

  Callers(Networks trusted) {
    this.trusted = trusted;
  }

  /** The caller's IP address as text; IPv6 without brackets. */
  String address(Request request) {
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

  private static Optional<InetAddress> literal(String hop) {
    Matcher matcher = WITH_PORT.matcher(hop);
    return Networks.address(matcher.matches() ? matcher.group(1) : hop);
  }
}
