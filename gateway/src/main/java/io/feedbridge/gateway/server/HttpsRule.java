package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;

/**
 * A server that has a certificate answers a request without TLS by a redirect to https, which keeps
 * method and body: some programs call every port by http. Nothing else is served without TLS.
 */
@Sharable
final class HttpsRule extends ChannelInboundHandlerAdapter {

  private final boolean required;

  HttpsRule(boolean required) {
    this.required = required;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!required
        || !(message instanceof HttpRequest request)
        || ctx.pipeline().get(SslHandler.class) != null) {
      ctx.fireChannelRead(message);
      return;
    }
    String host = request.headers().get(HttpHeaderNames.HOST, "");
    String target = request.uri();
    ReferenceCountUtil.release(message);
    Response answer =
        host.isEmpty() || !target.startsWith("/")
            ? Response.text(400, "this port is for https")
            : Response.text(308, "this port is for https")
                .withHeader("Location", "https://" + host + target);
    Outbound.send(ctx, answer.closing());
  }
}
