package io.feedbridge.gateway.server.limits;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * The open connections of a server, bounded in number: in all, and from one address. If all places
 * are taken, a new connection takes the place of the client for which the server has waited the
 * longest, so that slow clients cannot keep all places. Thread-safe.
 */
@Sharable
public final class Connections extends ChannelInboundHandlerAdapter {
  /** The user events that connections receive. */
  public enum Event {
    /** The server takes no more requests. */
    STOPPING
  }

  /** For event loops that are stuck in a handler: they must not keep the program from ending. */
  private static final Duration CLOSE_TIME = Duration.ofSeconds(5);

  private final int most;
  private final int mostOfOne;
  private final Predicate<InetAddress> forMany;
  private final ServerObserver observer;
  private final Crowd crowd = new Crowd();
  private final AtomicInteger open = new AtomicInteger();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private volatile boolean stopping;

  /**
   * None yet.
   *
   * @param forMany addresses behind which there are many clients: only the bound on all holds
   */
  public Connections(ServerLimits limits, Predicate<InetAddress> forMany, ServerObserver observer) {
    this.most = limits.connections();
    this.mostOfOne = limits.connectionsOfOne();
    this.forMany = forMany;
    this.observer = observer;
  }

  /** The connected clients. */
  public Crowd crowd() {
    return crowd;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    Channel channel = ctx.channel();
    SocketAddress from = channel.remoteAddress();
    int count = open.incrementAndGet();
    int ofOne = crowd.join(from);
    channel
        .closeFuture()
        .addListener(
            closed -> {
              crowd.leave(from, channel);
              observer.connections(open.decrementAndGet());
            });
    observer.connections(count);
    // The channel enters the group before the flag is read: stop() sets the flag, then visits the
    // group.
    channels.add(channel);
    if (stopping) {
      Outbound.close(ctx);
    } else if (ofOne > mostOfOne && !isForMany(from)) {
      observer.connectionClosed(ServerObserver.Crowding.ADDRESS);
      Outbound.close(ctx);
    } else if (count > most && !makesRoom()) {
      observer.connectionClosed(ServerObserver.Crowding.FULL);
      Outbound.close(ctx);
    } else {
      ctx.fireChannelActive();
    }
  }

  private boolean isForMany(SocketAddress from) {
    return from instanceof InetSocketAddress inet && forMany.test(inet.getAddress());
  }

  private boolean makesRoom() {
    Optional<Channel> longest = crowd.longestAwaited();
    longest.ifPresent(
        channel -> {
          observer.connectionClosed(ServerObserver.Crowding.SLOW);
          var unused = channel.close();
        });
    return longest.isPresent();
  }

  public boolean isStopping() {
    return stopping;
  }

  /** From now on each response is the last of its connection, and waiting connections close. */
  public void stop() {
    stopping = true;
    for (Channel channel : channels) {
      channel.pipeline().fireUserEventTriggered(Event.STOPPING);
    }
  }

  /** Waits until all are closed, at most that long. */
  public void awaitClosed(Duration most) {
    channels.newCloseFuture().awaitUninterruptibly(most.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Closes all at once, whatever they are doing. */
  public void closeAll() {
    channels.close().awaitUninterruptibly(CLOSE_TIME.toNanos(), TimeUnit.NANOSECONDS);
  }
}
