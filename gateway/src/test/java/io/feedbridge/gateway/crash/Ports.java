package io.feedbridge.gateway.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that stay free while nobody listens on them: below those that the system gives to
 * connections. Else one that is tried again and again while nobody listens may connect to itself.
 */
final class Ports {

  private static final int LOWEST = 12_000;
  private static final int BEYOND = 32_000;
  private static final int TRIES = 1_000;

  private Ports() {}

  static int free(String address) {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND);
      try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getByName(address))) {
        return probe.getLocalPort();
      } catch (IOException taken) {
        // The next one.
      }
    }
    throw new UncheckedIOException(new IOException("no port is free at " + address));
  }
}
