package io.feedbridge.gateway.server.limits;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.ChannelPromise;

/** Sends messages towards the client. No method waits for the sending, but no failure is lost. */
public final class Outbound {
  private Outbound() {}

  /** Writes a message; if that fails the connection is of no more use, and is closed. */
  public static void send(ChannelOutboundInvoker to, Object message) {
    to.writeAndFlush(message).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }

  /** Passes on a write that another handler began and whose promise is its to watch. */
  public static void pass(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    var unused = ctx.write(message, promise);
  }

  /** Closes the connection, now. */
  public static void close(ChannelHandlerContext ctx) {
    var unused = ctx.close();
  }
}
