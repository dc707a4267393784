package io.feedbridge.gateway.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for gateways, which must know theirs before they listen. They are below those that the
 * system gives to connections and to listeners without a port of their own: one of these that is
 * free now may be taken a moment later, and a dead one that is tried again and again may connect to
 * itself.
 *
 * <p>Each process of tests has a block of ports to itself, since another process may take a port
 * between the look at it and the gateway's start. It listens at the first port of its block until
 * it ends: that is how other processes see that the block is taken.
 */
public final class FreePort {

  private static final int FIRST = 12_000;
  private static final int BLOCK = 200;
  private static final int BLOCKS = 100;
  private static final ServerSocket CLAIM = claim();
  private static final AtomicInteger GIVEN = new AtomicInteger();

  private FreePort() {}

  /** A port of 127.0.0.1 at which nothing listens. */
  public static int next() {
    return next("127.0.0.1");
  }

  /** A port of an address at which nothing listens. */
  public static int next(String address) {
    for (int tries = 1; ; tries++) {
      int port = CLAIM.getLocalPort() + 1 + GIVEN.getAndIncrement() % (BLOCK - 1);
      try (ServerSocket probe = listen(port, address)) {
        return probe.getLocalPort();
      } catch (IOException taken) {
        if (tries == BLOCK) {
          throw new UncheckedIOException(taken);
        }
      }
    }
  }

  private static ServerSocket claim() {
    int start = ThreadLocalRandom.current().nextInt(BLOCKS);
    for (int tries = 0; ; tries++) {
      try {
        return listen(FIRST + (start + tries) % BLOCKS * BLOCK, "127.0.0.1");
      } catch (IOException taken) {
        if (tries == BLOCKS) {
          throw new UncheckedIOException(taken);
        }
      }
    }
  }

  private static ServerSocket listen(int port, String address) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getByName(address));
  }
}
