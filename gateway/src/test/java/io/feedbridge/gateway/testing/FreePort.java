package io.feedbridge.gateway.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for gateways, which must know theirs before they listen. They are below those that the
 * system gives to connections and to whoever asks for any port: one of these that is free now may
 * be somebody else's a moment later.
 */
public final class FreePort {

  private static final int FIRST = 12_000;
  private static final int LAST = 32_000;
  private static final int TRIES = 1_000;

  private FreePort() {}

  /** A port at which nobody listens. */
  public static int next() {
    for (int tries = 1; ; tries++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return probe.getLocalPort();
      } catch (IOException taken) {
        if (tries == TRIES) {
          throw new UncheckedIOException(taken);
        }
      }
    }
  }
}
