package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.bench.data.Micros;
import io.netty.handler.codec.http.FullHttpRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Many requests to the gateway at once, over connections that are kept. For one thread. */
final class Volley {

  private final Clock clock;
  private final List<ClientConnection> connections = new ArrayList<>();

  /** Connects. Blocks. */
  Volley(BareClient client, int port, int count, Clock clock) throws InterruptedException {
    this.clock = clock;
    for (int i = 0; i < count; i++) {
      connections.add(
          client.open(0, new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }
  }

  /**
   * Sends all of them; blocks until each is acknowledged.
   *
   * @return when it began, and when the last one was acknowledged
   */
  Map<String, Object> send(Collection<FullHttpRequest> requests) throws Exception {
    Queue<FullHttpRequest> queue = new ConcurrentLinkedQueue<>(requests);
    long began = Micros.of(clock.instant());
    CompletableFuture.allOf(
            connections.stream()
                .map(connection -> connection.run(queue::poll))
                .toArray(CompletableFuture<?>[]::new))
        .get();
    return Map.of("began", began, "acknowledged", Micros.of(clock.instant()));
  }
}
