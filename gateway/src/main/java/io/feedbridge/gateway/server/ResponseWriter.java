package io.feedbridge.gateway.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * Writes replies as messages of HTTP/1.1, whatever 1.x the client speaks (RFC 9110 §6.2), with the
 * Date of RFC 9110 §6.6.1 and the framing of RFC 9112 §6: a Content-Length, except where RFC 9110
 * §8.6 forbids it or where nobody knows it yet.
 */
@Sharable
final class ResponseWriter extends ChannelOutboundHandlerAdapter {
  /** IMF-fixdate (RFC 9110 §5.6.7), whose day has two digits. */
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private record Date(Instant second, String text) {}

  private final Clock clock;
  private volatile Date date = new Date(Instant.EPOCH, IMF_FIXDATE.format(Instant.EPOCH));

  ResponseWriter(Clock clock) {
    this.clock = clock;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    Outbound.pass(ctx, message instanceof Reply reply ? encode(reply) : message, promise);
  }

  private HttpResponse encode(Reply reply) {
    Response response = reply.response();
    HttpResponse message = response.live() == null ? whole(reply) : head(reply);
    HttpHeaders headers = message.headers();
    headers.set(HttpHeaderNames.DATE, date());
    HttpUtil.setKeepAlive(headers, reply.version(), !reply.close());
    if (reply.close()) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    return message;
  }

  private static HttpResponse whole(Reply reply) {
    Response response = reply.response();
    ByteBuf body =
        reply.headOnly() ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(response.body());
    HttpResponse message =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(response.status()), body);
    HttpHeaders headers = message.headers();
    copy(response, headers);
    if (Response.mayHaveBody(response.status())) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, response.body().length);
    }
    return message;
  }

  /** What ends with the connection where the client does not know chunks (RFC 9112 §6.3). */
  private static HttpResponse head(Reply reply) {
    HttpResponseStatus status = HttpResponseStatus.valueOf(reply.response().status());
    if (reply.headOnly()) {
      HttpResponse message =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER);
      copy(reply.response(), message.headers());
      return message;
    }
    HttpResponse message = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
    copy(reply.response(), message.headers());
    HttpUtil.setTransferEncodingChunked(message, reply.version().equals(HttpVersion.HTTP_1_1));
    return message;
  }

  private static void copy(Response response, HttpHeaders headers) {
    response.headers().asMap().forEach(headers::set);
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
  }

  /** Formatted once a second; two threads that format the same one do no harm. */
  private String date() {
    Instant second = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    Date known = date;
    if (!known.second().equals(second)) {
      known = new Date(second, IMF_FIXDATE.format(second));
      date = known;
    }
    return known.text();
  }
}
