package io.feedbridge.gateway.testing;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.Node;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.store.postgres.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three nodes of this process on one database, two of which own nothing, behind a balancer that
 * leads each connection to the next of them.
 */
final class ThreeNodes implements AutoCloseable {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final int NODES = 3;

  private final String database;
  private final List<Integer> ports = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final TcpProxy balancer;
  private final Http http = new Http();

  /**
   * Starts them; each takes requests when this returns.
   *
   * @param settings of a gateway alone, whose address is the balancer's
   */
  ThreeNodes(Settings settings, Clock clock) {
    database = databaseOf(settings.data());
    balancer =
        new TcpProxy(
            settings.listen().getPort(),
            () -> ports.get(connections.getAndIncrement() % ports.size()));
    for (int i = 0; i < NODES; i++) {
      int port = FreePort.next();
      ports.add(port);
      try {
        nodes.add(Node.start(of(settings, "node" + i, port), new Secret(database), clock));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      String word = i == 0 ? "\"up\"" : "\"serving\":true";
      await().atMost(LONG).until(() -> health(port).contains(word));
    }
  }

  /** The database of a data folder, which outlives its nodes. */
  static String databaseOf(Path data) {
    Path named = data.resolve("database");
    try {
      if (Files.notExists(named)) {
        Files.createDirectories(data);
        Files.writeString(named, TestServer.sharedDurable().made());
      }
      return Files.readString(named);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String health(int port) {
    try {
      return http.get("http://127.0.0.1:" + port + "/health").body();
    } catch (CompletionException notListening) {
      return "";
    }
  }

  private Settings of(Settings alone, String name, int port) {
    return new Settings(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        alone.publicUrl(),
        new Settings.Storage(
            alone.data().resolve(name),
            Optional.of(new Secret(database)),
            name,
            Optional.empty(),
            Optional.empty()),
        alone.outbound(),
        alone.hub(),
        alone.polling(),
        alone.retention(),
        alone.adminToken(),
        alone.serving(),
        new Settings.Protection(
            Optional.of(alone.data().resolve("nodes.key")),
            Optional.empty(),
            alone.protection().connectionsPerAddress()),
        alone.guarding(),
        Settings.Tracing.OFF);
  }

  /** The JDBC URL of the common database. */
  String database() {
    return database;
  }

  /** The URL of a path at the owner itself. */
  String ownerUrl(String path) {
    return "http://127.0.0.1:" + ports.get(0) + path;
  }

  @Override
  public void close() {
    balancer.refuse(true);
    // The standbys first: none of them is to take over.
    for (int i = nodes.size() - 1; i >= 0; i--) {
      nodes.get(i).close();
    }
    // Each node ends its connections well, and clients see that.
    await().atMost(LONG).until(balancer::isIdle);
    balancer.close();
  }
}
