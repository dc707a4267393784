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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Many requests to the gateway at once, over connections that are kept. For one thread. */
final class Volley {

  private final BareClient client;
  private final int port;
  private final Clock clock;
  private final List<ClientConnection> connections = new ArrayList<>();

  /** Connects. Blocks. */
  Volley(BareClient client, int port, int count, Clock clock) throws InterruptedException {
    this.client = client;
    this.port = port;
    this.clock = clock;
    for (int i = 0; i < count; i++) {
      connections.add(open());
    }
  }

  private ClientConnection open() throws InterruptedException {
    return client.open(0, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /**
   * Sends all of them; blocks until each is acknowledged.
   *
   * @return when it began, when the last one was acknowledged, and the microseconds within which 99
   *     % of them were
   */
  Map<String, Object> send(Collection<FullHttpRequest> requests) throws Exception {
    for (int i = 0; i < connections.size(); i++) {
      if (!connections.get(i).isOpen()) {
        connections.set(i, open());
      }
    }
    Times all = new Times(new ConcurrentLinkedQueue<>(requests), new ConcurrentLinkedQueue<>());
    long began = Micros.of(clock.instant());
    CompletableFuture.allOf(
            connections.stream()
                .map(connection -> connection.run(all))
                .toArray(CompletableFuture<?>[]::new))
        .get();
    return Map.of(
        "began", began, "acknowledged", Micros.of(clock.instant()), "p99", all.percentile(99));
  }

  /** The requests, and how long the answer to each took. */
  private record Times(Queue<FullHttpRequest> queue, Queue<Long> nanos) implements Requests {

    @Override
    public @Nullable FullHttpRequest next() {
      return queue.poll();
    }

    @Override
    public void answered(long took) {
      nanos.add(took);
    }

    /** In microseconds; 0 if there was no answer. */
    long percentile(int percent) {
      long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
      return sorted.length == 0
          ? 0
          : TimeUnit.NANOSECONDS.toMicros(sorted[(sorted.length - 1) * percent / 100]);
    }
  }
}
