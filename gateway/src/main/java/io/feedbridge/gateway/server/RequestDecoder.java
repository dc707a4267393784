package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.RequestRoom;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DefaultHeaders;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one request at a time: requests that a client pipelines behind it (RFC 9112 §9.3.2) stay
 * as bytes until {@link #next}, so that a small read full of tiny requests cannot become a large
 * heap of objects. For the same reason the number of fields is bounded, too, and a head that comes
 * in pieces is counted in the room of all requests.
 */
final class RequestDecoder extends HttpRequestDecoder {
  /** A part of a message has been received; fired as a user event. */
  enum Progress {
    PARTIAL
  }

  /** The approximate memory of a field beside its bytes. */
  private static final int FIELD_BYTES = 128;

  private final RequestRoom room;
  private final FieldCount fields;
  private @Nullable ChannelHandlerContext context;
  private boolean open = true;
  private boolean decoding;
  private boolean partial;

  RequestDecoder(ServerLimits limits, RequestRoom room) {
    this(limits, room, new FieldCount(limits.fields()));
  }

  private RequestDecoder(ServerLimits limits, RequestRoom room, FieldCount fields) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(limits.requestLine())
            .setMaxHeaderSize(limits.headers())
            .setHeadersFactory(fields.counting(DefaultHttpHeadersFactory.headersFactory()))
            .setTrailersFactory(fields.counting(DefaultHttpHeadersFactory.trailersFactory())));
    this.room = room;
    this.fields = fields;
  }

  /** The fields of one request, trailer fields included. */
  private static final class FieldCount {
    private final int most;
    private int count;

    FieldCount(int most) {
      this.most = most;
    }

    DefaultHttpHeadersFactory counting(DefaultHttpHeadersFactory factory) {
      DefaultHeaders.NameValidator<CharSequence> validator = factory.getNameValidator();
      return factory.withNameValidator(
          name -> {
            if (++count > most) {
              throw new TooLongHttpHeaderException("more than " + most + " fields");
            }
            validator.validateName(name);
          });
    }
  }

  /** Goes on to the next request. On the event loop only. */
  void next() {
    open = true;
    fields.count = 0;
    ChannelHandlerContext ctx = context;
    if (!decoding && ctx != null && actualReadableBytes() > 0) {
      feed(ctx, Unpooled.EMPTY_BUFFER);
      if (partial) {
        ctx.fireUserEventTriggered(Progress.PARTIAL);
      }
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
    context = ctx;
    super.handlerAdded(ctx);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    int bytes = message instanceof ByteBuf read ? read.readableBytes() : 0;
    int known = fields.count;
    feed(ctx, message);
    if (partial) {
      long more = bytes + (long) FIELD_BYTES * Math.max(0, fields.count - known);
      if (room.take(ctx.channel(), more)) {
        ctx.fireUserEventTriggered(Progress.PARTIAL);
      } else {
        var unused = ctx.close();
      }
    }
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

  /** RFC 9112 §2.3: the version is in capitals, which the decoder does not mind. */
  @Override
  protected HttpMessage createMessage(String[] initialLine) throws Exception {
    if (!initialLine[2].startsWith("HTTP/")) {
      throw new IllegalArgumentException("not HTTP");
    }
    return super.createMessage(initialLine);
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
