package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection in the stages of RFC 9112 §9.6: it ends the sending side, discards further
 * input of the client, and closes when the client does, or at a bound. Closing at once with input
 * unread would make TCP reset the connection, and the client might never see the last response.
 */
final class LingeringClose extends ChannelInboundHandlerAdapter {
  private final ServerLimits limits;
  private long readOver;
  private @Nullable Future<?> deadline;

  private LingeringClose(ServerLimits limits) {
    this.limits = limits;
  }

  /** To be called once the last response has been written; does nothing if it was before. */
  static void begin(ChannelPipeline pipeline, ServerLimits limits) {
    if (pipeline.get(LingeringClose.class) == null) {
      pipeline.addFirst(new LingeringClose(limits));
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    deadline =
        ctx.executor()
            .schedule(
                () -> Outbound.close(ctx), limits.lingerTime().toNanos(), TimeUnit.NANOSECONDS);
    ctx.channel().config().setAutoRead(false);
    SslHandler tls = ctx.pipeline().get(SslHandler.class);
    if (tls == null) {
      endSending(ctx);
    } else {
      // RFC 8446 §6.1: without a close_notify the client could not tell the end from a truncation
      // attack.
      tls.closeOutbound().addListener(told -> endSending(ctx));
    }
    ctx.read();
  }

  private static void endSending(ChannelHandlerContext ctx) {
    ((DuplexChannel) ctx.channel())
        .shutdownOutput()
        .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    readOver += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
    ReferenceCountUtil.release(message);
    if (readOver > limits.lingerBytes()) {
      Outbound.close(ctx);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.read();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    if (deadline != null) {
      deadline.cancel(false);
    }
  }
}
