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
import java.util.Set;

/**
 * A server that has a certificate answers a request without TLS by a redirect to https, which keeps
 * method and body: some programs call every port by http. Only the paths of {@link
 * ServerConfig#plain} are served without TLS.
 */
@Sharable
final class HttpsRule extends ChannelInboundHandlerAdapter {

  private final boolean required;
  private final Set<String> plain;
  private final String forwarded;

  /**
   * A rule.
   *
   * @param plain the paths that are served without TLS all the same
   * @param forwarded the header of requests that are served without TLS all the same; empty for
   *     none
   */
  HttpsRule(boolean required, Set<String> plain, String forwarded) {
    this.required = required;
    this.plain = plain;
    this.forwarded = forwarded;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!required
        || !(message instanceof HttpRequest request)
        || ctx.pipeline().get(SslHandler.class) != null
        || isPlain(request.uri())
        || (!forwarded.isEmpty() && request.headers().contains(forwarded))) {
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

  private boolean isPlain(String uri) {
    int query = uri.indexOf('?');
    return plain.contains(query < 0 ? uri : uri.substring(0, query));
  }
}
