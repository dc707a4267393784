package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;

/**
 * RFC 9110 §10.1.1: an expectation other than 100-continue is answered 417; in HTTP/1.0 the field
 * is ignored. The 100 itself is sent by {@link BodyCollector}, once the body is wanted.
 */
@Sharable
final class ExpectRule extends ChannelInboundHandlerAdapter {
  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request
        && request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) >= 0
        && !request.headers().getAll(HttpHeaderNames.EXPECT).stream()
            .allMatch(HttpHeaderValues.CONTINUE::contentEqualsIgnoreCase)) {
      ReferenceCountUtil.release(message);
      Outbound.send(ctx, Response.text(417, "the only expectation met here is 100-continue"));
      return;
    }
    ctx.fireChannelRead(message);
  }
}
