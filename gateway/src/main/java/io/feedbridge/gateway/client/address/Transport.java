package io.feedbridge.gateway.client.address;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/** How sockets are driven. Groups and channels of different transports do not mix. */
public enum Transport {
  /** Linux's own readiness calls through Netty's native library. */
  EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class, EpollDatagramChannel.class) {
    @Override
    IoHandlerFactory handlers() {
      return EpollIoHandler.newFactory();
    }
  },
  /** The JDK's selectors, which work everywhere. */
  NIO(NioSocketChannel.class, NioServerSocketChannel.class, NioDatagramChannel.class) {
    @Override
    IoHandlerFactory handlers() {
      return NioIoHandler.newFactory();
    }
  };

  private final Class<? extends SocketChannel> channel;
  private final Class<? extends ServerSocketChannel> serverChannel;
  private final Class<? extends DatagramChannel> datagramChannel;

  Transport(
      Class<? extends SocketChannel> channel,
      Class<? extends ServerSocketChannel> serverChannel,
      Class<? extends DatagramChannel> datagramChannel) {
    this.channel = channel;
    this.serverChannel = serverChannel;
    this.datagramChannel = datagramChannel;
  }

  /** The fastest transport that this machine has. */
  public static Transport best() {
    return Epoll.isAvailable() ? EPOLL : NIO;
  }

  abstract IoHandlerFactory handlers();

  /** A group of daemon threads called {@code name-1-1}, …; the caller shuts it down. */
  public EventLoopGroup newGroup(int threads, String name) {
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(name, true), handlers());
  }

  /** The class of outgoing TCP channels. */
  public Class<? extends SocketChannel> channelClass() {
    return channel;
  }

  /** The class of listening TCP channels. */
  public Class<? extends ServerSocketChannel> serverChannelClass() {
    return serverChannel;
  }

  /** The class of UDP channels. */
  public Class<? extends DatagramChannel> datagramChannelClass() {
    return datagramChannel;
  }
}
