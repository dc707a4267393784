package io.feedbridge.gateway.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The open connections of a server, bounded in number. Thread-safe. */
@Sharable
final class Connections extends ChannelInboundHandlerAdapter {
  /** What connections are told, as user events. */
  enum Event {
    /** The server takes no more requests. */
    STOPPING
  }

  /** For event loops that are stuck in a handler: they must not keep the program from ending. */
  private static final Duration CLOSE_TIME = Duration.ofSeconds(5);

  private final int most;
  private final ServerObserver observer;
  private final AtomicInteger open = new AtomicInteger();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private volatile boolean stopping;

  Connections(int most, ServerObserver observer) {
    this.most = most;
    this.observer = observer;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    int count = open.incrementAndGet();
    ctx.channel().closeFuture().addListener(closed -> observer.connections(open.decrementAndGet()));
    observer.connections(count);
    // Enters the group before it looks: stop() sets the flag before it walks the group.
    channels.add(ctx.channel());
    if (count > most || stopping) {
      Outbound.close(ctx);
    } else {
      ctx.fireChannelActive();
    }
  }

  boolean isStopping() {
    return stopping;
  }

  /** From now on each response is the last of its connection, and waiting connections close. */
  void stop() {
    stopping = true;
    for (Channel channel : channels) {
      channel.pipeline().fireUserEventTriggered(Event.STOPPING);
    }
  }

  /** Waits until all are closed, at most that long. */
  void awaitClosed(Duration most) {
    channels.newCloseFuture().awaitUninterruptibly(most.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Closes all at once, whatever they are doing. */
  void closeAll() {
    channels.close().awaitUninterruptibly(CLOSE_TIME.toNanos(), TimeUnit.NANOSECONDS);
  }
}
