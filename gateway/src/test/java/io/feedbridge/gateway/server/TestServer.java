package io.feedbridge.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.limits.TlsCertificate;
import io.feedbridge.gateway.testing.RawClient;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A real server on port 0; closing it checks that it has kept no buffer. */
public final class TestServer implements AutoCloseable {
  static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
  static final Duration GRACE = Duration.ofSeconds(5);

  final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  final List<String> finished = new CopyOnWriteArrayList<>();
  final AtomicInteger open = new AtomicInteger();
  public final HttpServer server;

  public TestServer(Router router, ServerLimits limits) throws IOException {
    this(router, limits, Optional.empty());
  }

  public TestServer(Router router, ServerLimits limits, Optional<TlsCertificate> certificate)
      throws IOException {
    ServerObserver observer =
        new ServerObserver() {
          @Override
          public void requestFinished(String route, String method, int status, Duration took) {
            finished.add(method + " " + route + " " + status);
          }

          @Override
          public void connections(int count) {
            open.set(count);
          }
        };
    server =
        new HttpServer(
            new ServerConfig(
                group,
                group,
                NioServerSocketChannel.class,
                () -> router,
                limits,
                observer,
                Clock.fixed(NOW, ZoneOffset.UTC),
                address -> false,
                certificate,
                Set.of(),
                Optional.empty()),
            allocator);
    server.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  public TestServer(Router router) throws IOException {
    this(router, ServerLimits.DEFAULT);
  }

  public RawClient connect() throws IOException {
    return new RawClient(server.address());
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.address().getPort() + path);
  }

  @Override
  public void close() {
    server.close(GRACE);
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    assertThat(allocator.metric().usedHeapMemory()).as("heap buffers kept").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct buffers kept").isZero();
  }
}
