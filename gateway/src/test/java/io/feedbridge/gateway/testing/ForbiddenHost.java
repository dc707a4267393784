package io.feedbridge.gateway.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Something inside that must not be reached: it counts connections and hangs up. */
public final class ForbiddenHost implements AutoCloseable {

  /** A loopback address that a test allows 127.0.0.1 without. */
  public static final String ADDRESS = "127.0.0.2";

  private static final int BACKLOG = 16;

  private final AtomicInteger connections = new AtomicInteger();
  private final ServerSocket socket;
  private final Thread thread;

  /** Listens on a free port of an address such as {@link #ADDRESS} or {@code ::1}. */
  public ForbiddenHost(String address) {
    this(address, 0);
  }

  /** The same on a port. */
  public ForbiddenHost(String address, int port) {
    try {
      socket = new ServerSocket(port, BACKLOG, InetAddress.getByName(address));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    thread = new Thread(this::accept, "forbidden-host");
    thread.start();
  }

  private void accept() {
    while (true) {
      try {
        Socket connection = socket.accept();
        connections.incrementAndGet();
        connection.close();
      } catch (IOException closed) {
        return;
      }
    }
  }

  /** The port, for hosts in other spellings. */
  public int port() {
    return socket.getLocalPort();
  }

  /** The URL of a path. */
  public String url(String path) {
    return "http://%s:%d/%s".formatted(ADDRESS, port(), path);
  }

  /** How many connections were made so far. */
  public int connections() {
    return connections.get();
  }

  @Override
  public void close() {
    try {
      socket.close();
      thread.join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
