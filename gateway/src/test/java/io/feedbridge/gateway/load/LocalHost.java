package io.feedbridge.gateway.load;

import io.feedbridge.gateway.client.Transport;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One host: an address and a port. It can answer in any {@link Manner}, refuse connections, or let
 * them time out. Its life is changed by one thread at a time.
 */
final class LocalHost implements AutoCloseable {

  private static final int MAX_BODY = 4 << 20;
  private static final int BACKLOG = 1_024;

  /** More than a queue of length 1 holds, so that nobody else's connection is completed. */
  private static final int FILLERS = 4;

  private final EventLoopGroup loops;
  private final InetAddress address;
  private final Function<LocalHost, ChannelHandler> talk;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final List<SocketChannel> fillers = new ArrayList<>();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private volatile Manner manner = Manner.PROMPT;
  private volatile Manner confirmation = Manner.PROMPT;
  private int port;
  private @Nullable Channel listener;
  private @Nullable ServerSocket hole;

  /**
   * A host that does not listen yet.
   *
   * @param talk makes the handler of a connection
   */
  LocalHost(EventLoopGroup loops, String address, Function<LocalHost, ChannelHandler> talk) {
    this.loops = loops;
    this.talk = talk;
    try {
      this.address = InetAddress.getByName(address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The URL of a path without its slash. */
  String url(String path) {
    return "http://" + authority() + "/" + path;
  }

  /** Address and port. */
  String authority() {
    return address() + ":" + port;
  }

  String address() {
    return address.getHostAddress();
  }

  int port() {
    return port;
  }

  Manner manner() {
    return manner;
  }

  void manner(Manner from) {
    manner = from;
  }

  Manner confirmation() {
    return confirmation;
  }

  /** How verifications and challenges are answered. */
  void confirmation(Manner from) {
    confirmation = from;
  }

  void begun() {
    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
  }

  void ended() {
    underWay.decrementAndGet();
  }

  /** Requests that were under way at once, at most. */
  int most() {
    return most.get();
  }

  /** Listens again, at the same port as before. */
  void revive() {
    stop();
    listener =
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
                            new HttpServerCodec(),
                            new HttpObjectAggregator(MAX_BODY),
                            talk.apply(LocalHost.this));
                  }
                })
            .bind(new InetSocketAddress(address, port))
            .syncUninterruptibly()
            .channel();
    port = ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Closes all connections; new ones are refused from now on. */
  void refuse() {
    stop();
  }

  /** Closes all connections; new ones neither come about nor are refused from now on. */
  void swallow() {
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
    stop();
  }
}
