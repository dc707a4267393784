package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.message.Handler;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The gateway's own server on a loopback port whose every path goes to one handler, for the fakes
 * of other hubs and clouds.
 */
public final class LocalServer implements AutoCloseable {

  private static final int MAX_BODY = 32 << 20;

  /** Also from the one address that tests have. */
  private static final int MAX_CONNECTIONS = 10_000;

  private final EventLoopGroup loops = Transport.best().newGroup(1, "fake");
  private final HttpServer server;

  /** On a free port. */
  public LocalServer(Handler handler) {
    this(handler, 0);
  }

  LocalServer(Handler handler, int port) {
    RouteOptions any = RouteOptions.anyBody(MAX_BODY);
    Router router =
        Router.builder()
            .route("GET", "/{a}", any, handler)
            .route("POST", "/{a}", any, handler)
            .route("GET", "/{a}/{b}", any, handler)
            .route("POST", "/{a}/{b}", any, handler)
            .build();
    server =
        new HttpServer(
            new ServerConfig(
                loops,
                loops,
                Transport.best().serverChannelClass(),
                router,
                ServerLimits.DEFAULT.withConnections(MAX_CONNECTIONS, MAX_CONNECTIONS),
                ServerObserver.NONE,
                Clock.systemUTC()));
    try {
      server.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return server.address().getPort();
  }

  /** The URL of it, without a slash at its end. */
  public String url() {
    return "http://127.0.0.1:" + port();
  }

  @Override
  public void close() {
    server.close(Duration.ZERO);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
