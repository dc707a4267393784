package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.limits.TlsCertificate;
import io.feedbridge.gateway.server.message.Request;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import java.net.InetAddress;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The parts and settings of a server.
 *
 * @param boss accepts connections; the caller's to shut down
 * @param workers serve them; the caller's to shut down
 * @param channelClass of the same transport as the groups
 * @param clock for the Date of responses
 * @param proxies addresses of which many clients make use, so that only the bound on all
 *     connections holds there
 * @param certificate with which it speaks TLS; without one it does not
 * @param plain the paths that a server with a certificate serves without TLS too
 * @param router the routes of now, which may be others at the next request
 * @param forwards requests that another server of the operator passes on; empty for none
 */
public record ServerConfig(
    EventLoopGroup boss,
    EventLoopGroup workers,
    Class<? extends ServerChannel> channelClass,
    Supplier<Router> router,
    ServerLimits limits,
    ServerObserver observer,
    Clock clock,
    Predicate<InetAddress> proxies,
    Optional<TlsCertificate> certificate,
    Set<String> plain,
    Optional<Forwards> forwards) {

  /**
   * Requests that another server of the operator passes on.
   *
   * @param header the field that such a request has; TLS is not asked for then
   * @param original the request that the client sent; throws a BadRequestException where the header
   *     is not believed
   */
  public record Forwards(String header, UnaryOperator<Request> original) {}

  /** A server without TLS and without proxies. */
  public ServerConfig(
      EventLoopGroup boss,
      EventLoopGroup workers,
      Class<? extends ServerChannel> channelClass,
      Router router,
      ServerLimits limits,
      ServerObserver observer,
      Clock clock) {
    this(
        boss,
        workers,
        channelClass,
        () -> router,
        limits,
        observer,
        clock,
        address -> false,
        Optional.empty(),
        Set.of(),
        Optional.empty());
  }
}
