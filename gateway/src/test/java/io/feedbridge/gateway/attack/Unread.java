package io.feedbridge.gateway.attack;

import io.feedbridge.gateway.testing.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Connections from another address that ask for something and never read the answer. */
final class Unread implements AutoCloseable {

  private static final String ATTACKER = "127.0.0.9";

  private final List<RawClient> clients = new ArrayList<>();
  private final int port;

  Unread(int port) {
    this.port = port;
  }

  /** Sends a GET over each of so many connections. */
  void get(int connections, String target) throws IOException {
    for (int i = 0; i < connections; i++) {
      RawClient client =
          new RawClient(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ATTACKER);
      clients.add(client);
      client.send("GET " + target + " HTTP/1.1\nHost: 127.0.0.1:" + port + "\n\n");
    }
  }

  @Override
  public void close() throws IOException {
    for (RawClient client : clients) {
      client.close();
    }
  }
}
