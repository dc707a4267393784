package io.feedbridge.gateway.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for gateways, which must know theirs before they listen. They are below those that the
 * system gives to connections and to listeners without a port of their own: one of these that is
 * free now may be taken a moment later, and a dead one that is tried again and again may connect to
 * itself.
 */
public final class FreePort {

  private static final int FIRST = 12_000;
  private static final int LAST = 32_000;
  private static final int TRIES = 1_000;

  private FreePort() {}

  /** A port of 127.0.0.1 at which nothing listens. */
  public static int next() {
    return next("127.0.0.1");
  }

  /** A port of an address at which nothing listens. */
  public static int next(String address) {
    for (int tries = 1; ; tries++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getByName(address))) {
        return probe.getLocalPort();
      } catch (IOException taken) {
        if (tries == TRIES) {
          throw new UncheckedIOException(taken);
        }
      }
    }
  }
}
