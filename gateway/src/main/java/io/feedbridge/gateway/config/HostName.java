package io.feedbridge.gateway.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** The name of this machine, as the name of a node. */
final class HostName {

  private static final int MAX = 64;

  private HostName() {}

  /** The name; {@code localhost} where the machine has none. May ask the system's resolver. */
  static String get() {
    try {
      return of(InetAddress.getLocalHost().getHostName());
    } catch (UnknownHostException e) {
      return of("");
    }
  }

  /** A host name without the characters that no name of a node has. */
  static String of(String host) {
    String name = host.replaceAll("[^A-Za-z0-9._-]", "-");
    return Optional.of(name.substring(0, Math.min(name.length(), MAX)))
        .filter(some -> !some.isEmpty())
        .orElse("localhost");
  }
}
