package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.regex.Pattern;

/**
 * RFC 9112 §3.2: a request of HTTP/1.1 without Host, and any with several or an invalid one, is
 * answered 400. An empty one is invalid here, where every target is an http URI (RFC 9110 §4.2.1).
 */
@Sharable
final class HostRule extends ChannelInboundHandlerAdapter {
  /** uri-host [ ":" port ] of RFC 3986 §3.2.2. */
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(:[0-9]{0,5})?");

  static boolean isValid(String host) {
    return HOST.matcher(host).matches();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof HttpRequest request)) {
      ctx.fireChannelRead(message);
      return;
    }
    List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
    boolean mayLack = request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) < 0;
    if (hosts.isEmpty() ? mayLack : hosts.size() == 1 && isValid(hosts.get(0))) {
      ctx.fireChannelRead(message);
      return;
    }
    ReferenceCountUtil.release(message);
    String reason = hosts.size() == 1 ? "the Host header is invalid" : "send one Host header";
    Outbound.send(ctx, Response.text(400, reason).closing());
  }
}
