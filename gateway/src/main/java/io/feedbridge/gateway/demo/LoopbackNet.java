package io.feedbridge.gateway.demo;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.ClientConfig;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** HTTP on this machine alone: servers on free loopback ports, and one client for all. */
final class LoopbackNet implements AutoCloseable {

  /** The networks of all parties of the demo. */
  static final List<String> NETWORKS = List.of("127.0.0.0/8");

  /** The options of routes that take any of the demo's forms and documents. */
  static final RouteOptions BODY = RouteOptions.anyBody(1 << 20);

  private static final String FORM = "application/x-www-form-urlencoded";
  private static final Duration LOOPS_END_WITHIN = Duration.ofMillis(500);

  private final Clock clock;
  private final Transport transport = Transport.best();
  private final EventLoopGroup loops = transport.newGroup(2, "demo");
  private final OutboundClient client =
      OutboundClient.start(1, ClientConfig.defaults(), AddressPolicy.allowing(NETWORKS, NETWORKS));

  LoopbackNet(Clock clock) {
    this.clock = clock;
  }

  /** The address of a server that listens on a free port. */
  static InetSocketAddress anyPort() {
    return new InetSocketAddress(NetUtil.LOCALHOST4, 0);
  }

  /** Starts a server; it is its owner's to close, before this. */
  HttpServer serve(Router router) throws IOException {
    HttpServer server =
        new HttpServer(
            new ServerConfig(
                loops,
                loops,
                transport.serverChannelClass(),
                router,
                ServerLimits.DEFAULT,
                ServerObserver.NONE,
                clock));
    server.start(anyPort());
    return server;
  }

  /** The base of a server's URLs, without a trailing slash. */
  static String url(HttpServer server) {
    return "http://" + NetUtil.LOCALHOST4.getHostAddress() + ":" + server.address().getPort();
  }

  CompletableFuture<Reply> get(String url) {
    return client.send(Call.get(url, Purpose.FETCH).build());
  }

  CompletableFuture<Reply> postForm(String url, String form) {
    return post(url, form.getBytes(StandardCharsets.UTF_8), Map.of("Content-Type", FORM));
  }

  CompletableFuture<Reply> post(String url, byte[] body, Map<String, String> headers) {
    Call.Builder call = Call.post(url, Purpose.FETCH, body);
    headers.forEach(call::header);
    return client.send(call.build());
  }

  @Override
  public void close() {
    client.close();
    loops
        .shutdownGracefully(0, LOOPS_END_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
        .awaitUninterruptibly();
  }
}
