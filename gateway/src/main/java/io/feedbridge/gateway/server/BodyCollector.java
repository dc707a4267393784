package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.limits.RequestRoom;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of an admitted request, within the bound of its route and the room of all
 * requests, and passes the whole on as a {@link Routed}. Memory is taken as bytes arrive, not as
 * they are announced.
 */
final class BodyCollector extends ChannelInboundHandlerAdapter {
  /** A whole request and the route that answers it. */
  record Routed(Request request, Router.Route route) {}

  private static final InetSocketAddress UNKNOWN_PEER =
      InetSocketAddress.createUnresolved("unknown", 0);

  /** The Retry-After of a request that finds no room, in seconds. */
  private static final String RETRY_AFTER = "10";

  private final RequestRoom room;
  private Routing.@Nullable Admitted admitted;
  private ByteArrayOutputStream body = new ByteArrayOutputStream(0);

  BodyCollector(RequestRoom room) {
    this.room = room;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof Routing.Admitted head) {
      begin(ctx, head);
      return;
    }
    Routing.Admitted current = admitted;
    if (!(message instanceof HttpContent content) || current == null) {
      ReferenceCountUtil.release(message);
      return;
    }
    try {
      add(ctx, current, content);
    } finally {
      content.release();
    }
  }

  private void begin(ChannelHandlerContext ctx, Routing.Admitted head) {
    admitted = head;
    body = new ByteArrayOutputStream(0);
    boolean hasBody =
        HttpUtil.getContentLength(head.head(), 0L) > 0
            || HttpUtil.isTransferEncodingChunked(head.head());
    if (hasBody && HttpUtil.is100ContinueExpected(head.head())) {
      Outbound.send(
          ctx,
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    }
  }

  private void add(ChannelHandlerContext ctx, Routing.Admitted current, HttpContent content) {
    Router.Route route = current.found().route();
    ByteBuf bytes = content.content();
    if (body.size() + (long) bytes.readableBytes() > route.options().maxBody()) {
      reset();
      Outbound.send(ctx, tooLarge(route));
      return;
    }
    if (bytes.isReadable() && !room.take(ctx.channel(), bytes.readableBytes())) {
      reset();
      Outbound.send(
          ctx,
          Response.text(503, "too much is being sent at once")
              .withHeader("Retry-After", RETRY_AFTER)
              .closing());
      return;
    }
    try {
      bytes.readBytes(body, bytes.readableBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("a byte array takes any bytes", e);
    }
    if (content instanceof LastHttpContent) {
      byte[] whole = body.toByteArray();
      reset();
      room.read(ctx.channel());
      ctx.fireChannelRead(new Routed(request(ctx, current, whole), current.found().route()));
    }
  }

  private void reset() {
    admitted = null;
    body = new ByteArrayOutputStream(0);
  }

  private static Request request(
      ChannelHandlerContext ctx, Routing.Admitted admitted, byte[] body) {
    HttpRequest head = admitted.head();
    Target target = admitted.target();
    HttpHeaders headers = head.headers();
    target.authority().ifPresent(host -> headers.set(HttpHeaderNames.HOST, host));
    return new Request(
        head.method().name(),
        target.path(),
        target.rawPath(),
        target.rawQuery(),
        target.query(),
        Headers.from(headers),
        body,
        ctx.channel().remoteAddress() instanceof InetSocketAddress peer ? peer : UNKNOWN_PEER,
        admitted.found().variables());
  }

  static Response tooLarge(Router.Route route) {
    int maxBody = route.options().maxBody();
    return route
        .refusals()
        .of(
            413,
            maxBody == 0
                ? "this resource takes no body"
                : "the body must not be longer than " + maxBody + " bytes");
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    reset();
    ctx.fireChannelInactive();
  }
}
