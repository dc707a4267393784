package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.client.address.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A host for thousands of requests a second, where WireMock would be what a test measures: an
 * address and a port at which connections are accepted, refused, or neither. Thread-safe.
 */
public final class NettyHost implements AutoCloseable {

  private static final int MAX_BODY = 16 << 20;
  private static final int BACKLOG = 1_024;

  /** More than a queue of length 1 holds, so that no other connection is completed. */
  private static final int FILLERS = 4;

  private final ServerBootstrap bootstrap;
  private final InetAddress address;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final List<SocketChannel> fillers = new ArrayList<>();
  private int port;
  private @Nullable Channel listener;
  private @Nullable ServerSocket hole;

  /**
   * A host that does not listen yet.
   *
   * @param loops of {@link Transport#best()}
   * @param port 0 for a free one, which it keeps
   * @param talk makes the handler of a connection, which gets whole requests
   */
  public NettyHost(EventLoopGroup loops, String address, int port, Supplier<ChannelHandler> talk) {
    this.port = port;
    try {
      this.address = InetAddress.getByName(address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    bootstrap =
        new ServerBootstrap()
            .group(loops)
            .channel(Transport.best().serverChannelClass())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    open.add(channel);
                    channel
                        .pipeline()
                        .addLast(
                            new HttpServerCodec(), new HttpObjectAggregator(MAX_BODY), talk.get());
                  }
                });
  }

  /** The address, as numbers. */
  public String address() {
    return address.getHostAddress();
  }

  /** The port; 0 as long as it has not listened on a free one. */
  public synchronized int port() {
    return port;
  }

  /** Listens, at the same port as before; nothing happens where it listens already. */
  public synchronized void listen() {
    if (listener != null) {
      return;
    }
    stop();
    Channel bound =
        bootstrap.bind(new InetSocketAddress(address, port)).syncUninterruptibly().channel();
    port = ((InetSocketAddress) bound.localAddress()).getPort();
    listener = bound;
  }

  /** Closes all connections; new ones are refused from now on. */
  public synchronized void refuse() {
    stop();
  }

  /** Closes all connections; new ones neither come about nor are refused from now on. */
  public synchronized void swallow() {
    stop();
    try {
      ServerSocket full = new ServerSocket();
      full.setReuseAddress(true);
      full.bind(new InetSocketAddress(address, port), 1);
      hole = full;
      for (int i = 0; i < FILLERS; i++) {
        SocketChannel filler = SocketChannel.open();
        filler.configureBlocking(false);
        filler.connect(new InetSocketAddress(address, port));
        fillers.add(filler);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void stop() {
    try {
      if (listener != null) {
        listener.close().syncUninterruptibly();
        listener = null;
      }
      open.close().awaitUninterruptibly();
      for (SocketChannel filler : fillers) {
        filler.close();
      }
      fillers.clear();
      if (hole != null) {
        hole.close();
        hole = null;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    refuse();
  }
}
