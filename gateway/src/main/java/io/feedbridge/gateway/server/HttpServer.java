package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Connections;
import io.feedbridge.gateway.server.limits.RequestRoom;
import io.feedbridge.gateway.server.limits.ResponseRoom;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP/1.1 server. Its methods may be called from any thread but an event loop, since they
 * wait; stopping is safe to repeat. The event loop groups stay the caller's.
 */
public final class HttpServer {
  /** Connections that the kernel holds until they are accepted. */
  private static final int BACKLOG = 1_024;

  /**
   * The most bytes read at once: about the memory that one connection's pipelined requests take.
   */
  private static final int MAX_READ_BYTES = 16 * 1_024;

  private static final int MIN_READ_BYTES = 512;
  private static final int FIRST_READ_BYTES = 2 * 1_024;

  private final ServerConfig config;
  private final ByteBufAllocator allocator;
  private final Connections connections;
  private final RequestRoom room;
  private final ResponseRoom responses;
  private @Nullable Channel listening;

  /** A server that does not listen yet. */
  public HttpServer(ServerConfig config) {
    this(config, ByteBufAllocator.DEFAULT);
  }

  HttpServer(ServerConfig config, ByteBufAllocator allocator) {
    this.config = config;
    this.allocator = allocator;
    this.connections = new Connections(config.limits(), config.proxies(), config.observer());
    this.room = new RequestRoom(config.limits().requests());
    this.responses = new ResponseRoom(config.limits().responses(), config.observer());
  }

  /**
   * Listens on that address; port 0 takes any free port.
   *
   * @throws BindException if the address cannot be bound, with the reason and a remedy
   * @throws IllegalStateException if the server was started or stopped before
   */
  public synchronized void start(InetSocketAddress address) throws BindException {
    if (listening != null || connections.isStopping()) {
      throw new IllegalStateException("a server starts once");
    }
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(config.boss(), config.workers())
            .channel(config.channelClass())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, FIRST_READ_BYTES, MAX_READ_BYTES))
            .childHandler(new ServerPipeline(config, connections, room, responses));
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw bindFailure(address, bound.cause());
    }
    listening = bound.channel();
  }

  private static BindException bindFailure(InetSocketAddress address, @Nullable Throwable cause) {
    String why = cause == null ? "no reason given" : String.valueOf(cause.getMessage());
    String host = address.getHostString();
    // Both transports pass on the system's own text, but not in the same exception.
    boolean inUse = cause instanceof IOException && why.contains("in use");
    BindException failure =
        new BindException(
            inUse
                ? "port %d on %s is in use: choose another with --listen"
                    .formatted(address.getPort(), host)
                : "cannot listen on %s, port %d (%s): choose another with --listen"
                    .formatted(host, address.getPort(), why));
    failure.initCause(cause);
    return failure;
  }

  /**
   * Where the server listens, with the real port.
   *
   * @throws IllegalStateException if it does not listen
   */
  public synchronized InetSocketAddress address() {
    if (listening == null || !(listening.localAddress() instanceof InetSocketAddress address)) {
      throw new IllegalStateException("the server does not listen");
    }
    return address;
  }

  /** The memory of requests that are being read or answered, in bytes. */
  public long requestBytes() {
    return room.taken();
  }

  /** The memory of responses that clients have not taken yet, in bytes. */
  public long responseBytes() {
    return responses.taken();
  }

  /**
   * Takes no more requests: the listening socket is closed, connections that wait for a request are
   * closed, and each request under way is answered as the last of its connection. With NIO the
   * kernel may take connections, which are then reset, until the event loop's next selection.
   */
  public synchronized void stopIntake() {
    if (listening != null) {
      listening.close().awaitUninterruptibly();
    }
    connections.stop();
  }

  /**
   * Stops the intake, waits at most the grace for requests under way, then closes all connections.
   */
  public void close(Duration grace) {
    stopIntake();
    connections.awaitClosed(grace);
    connections.closeAll();
  }
}
