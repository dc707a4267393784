package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.Optional;

/**
 * Refuses each message whose end or meaning is in doubt, since request smuggling needs two parsers
 * that disagree on it (RFC 9112 §11.2). The decoder finds the faults (Content-Length beside
 * Transfer-Encoding, bad chunks, bare LF, ...) but only notes them on the message. The connection
 * is closed after each fault, because the start of the next request is unknown.
 */
@Sharable
final class FramingRule extends ChannelInboundHandlerAdapter {
  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    Optional<Response> refusal =
        message instanceof HttpObject object ? refusal(object) : Optional.empty();
    if (refusal.isEmpty()) {
      ctx.fireChannelRead(message);
      return;
    }
    ReferenceCountUtil.release(message);
    Outbound.send(ctx, refusal.get().closing());
  }

  private static Optional<Response> refusal(HttpObject object) {
    if (object.decoderResult().isFailure()) {
      return Optional.of(malformed(object.decoderResult().cause(), object instanceof HttpRequest));
    }
    if (!(object instanceof HttpRequest request)) {
      return Optional.empty();
    }
    if (request.protocolVersion().majorVersion() != 1) {
      return Optional.of(Response.text(505, "this server speaks HTTP/1.1"));
    }
    List<String> codings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (!codings.isEmpty()
        && !(codings.size() == 1
            && HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.get(0).strip()))) {
      // RFC 9112 §6.1: a transfer coding that is not understood.
      return Optional.of(Response.text(501, "chunked is the only transfer coding known here"));
    }
    return Optional.empty();
  }

  private static Response malformed(Throwable cause, boolean inHead) {
    if (cause instanceof TooLongHttpLineException && inHead) {
      return Response.text(414, "the request line is too long");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return Response.text(431, "the header fields are too large");
    }
    return Response.text(
        400, inHead ? "the request is malformed" : "the body's framing is malformed");
  }
}
