package io.feedbridge.gateway.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one request at a time: what a client pipelines behind it (RFC 9112 §9.3.2) stays as bytes
 * until {@link #next}, so that a small read full of tiny requests cannot become a large heap of
 * objects.
 */
final class RequestDecoder extends HttpRequestDecoder {
  /** A part of a message has been received; fired as a user event. */
  enum Progress {
    PARTIAL
  }

  private @Nullable ChannelHandlerContext context;
  private boolean open = true;
  private boolean decoding;
  private boolean partial;

  RequestDecoder(ServerLimits limits) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(limits.requestLine())
            .setMaxHeaderSize(limits.headers()));
  }

  /** Goes on to the next request. On the event loop only. */
  void next() {
    open = true;
    ChannelHandlerContext ctx = context;
    if (!decoding && ctx != null && actualReadableBytes() > 0) {
      feed(ctx, Unpooled.EMPTY_BUFFER);
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
    context = ctx;
    super.handlerAdded(ctx);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    feed(ctx, message);
  }

  private void feed(ChannelHandlerContext ctx, Object message) {
    decoding = true;
    partial = false;
    try {
      super.channelRead(ctx, message);
    } catch (Exception e) {
      ctx.fireExceptionCaught(e);
    } finally {
      decoding = false;
    }
    if (partial) {
      ctx.fireUserEventTriggered(Progress.PARTIAL);
    }
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    if (!open) {
      return;
    }
    super.decode(ctx, in, out);
    partial = out.isEmpty();
    if (!partial && out.get(out.size() - 1) instanceof LastHttpContent) {
      open = false;
    }
  }

  /** While closed it must not ask for more bytes, as its parent would: nothing bounds them. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    if (open) {
      super.channelReadComplete(ctx);
    } else {
      ctx.fireChannelReadComplete();
    }
  }
}
