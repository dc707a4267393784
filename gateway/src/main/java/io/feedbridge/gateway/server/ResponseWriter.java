package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.limits.ResponseRoom;
import io.feedbridge.gateway.server.message.Reply;
import io.feedbridge.gateway.server.message.Response;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.stream.ChunkedStream;
import java.io.ByteArrayInputStream;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes replies as messages of HTTP/1.1, whatever 1.x the client speaks (RFC 9110 §6.2), with the
 * Date of RFC 9110 §6.6.1 and the framing of RFC 9112 §6: a Content-Length, except where RFC 9110
 * §8.6 forbids it or where the length is not known yet.
 */
@Sharable
final class ResponseWriter extends ChannelOutboundHandlerAdapter {
  /** IMF-fixdate (RFC 9110 §5.6.7), whose day has two digits. */
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final byte[] EMPTY = {};

  private record Date(Instant second, String text) {}

  /**
   * A longer body is written in pieces of this length, each once the client has taken the one
   * before.
   */
  static final int PIECE = 32 * 1_024;

  /** Bytes of a body in buffers: one piece, and the bytes that fill the connection. */
  private static final int BUFFERED = PIECE + 64 * 1_024;

  private final Clock clock;
  private final ResponseRoom room;
  private volatile Date date = new Date(Instant.EPOCH, IMF_FIXDATE.format(Instant.EPOCH));

  /**
   * A writer for all connections.
   *
   * @param room is told how many bytes clients have not taken yet
   */
  ResponseWriter(Clock clock, ResponseRoom room) {
    this.clock = clock;
    this.room = room;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (!(message instanceof Reply reply)) {
      Outbound.pass(ctx, message, promise);
      return;
    }
    byte[] body = reply.headOnly() ? EMPTY : reply.response().body();
    hold(ctx.channel(), body, promise);
    if (body.length <= PIECE) {
      Outbound.pass(ctx, encode(reply), promise);
      return;
    }
    Outbound.pass(ctx, encode(reply), ctx.newPromise());
    Outbound.pass(
        ctx,
        new HttpChunkedInput(new ChunkedStream(new ByteArrayInputStream(body), PIECE)),
        promise);
  }

  private void hold(Channel channel, byte[] body, ChannelPromise promise) {
    if (body.length == 0) {
      return;
    }
    long buffered = Math.min(body.length, BUFFERED);
    byte @Nullable [] kept = body.length > PIECE ? body : null;
    room.take(channel, buffered, kept);
    promise.addListener(done -> room.give(channel, buffered, kept));
  }

  private HttpResponse encode(Reply reply) {
    Response response = reply.response();
    HttpResponse message = response.live() == null ? whole(reply) : liveHead(reply);
    HttpHeaders headers = message.headers();
    headers.set(HttpHeaderNames.DATE, date());
    if (response.status() == Response.SWITCHING_PROTOCOLS) {
      return message;
    }
    HttpUtil.setKeepAlive(headers, reply.version(), !reply.close());
    if (reply.close()) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    return message;
  }

  private static HttpResponse whole(Reply reply) {
    Response response = reply.response();
    HttpResponseStatus status = HttpResponseStatus.valueOf(response.status());
    HttpResponse message;
    if (reply.headOnly()) {
      message = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER);
    } else if (response.body().length > PIECE) {
      message = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
    } else {
      message =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(response.body()));
    }
    HttpHeaders headers = message.headers();
    copy(response, headers);
    if (Response.mayHaveBody(response.status())) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, response.body().length);
    }
    return message;
  }

  /**
   * The head of a content that ends with the connection if the client does not know chunks (RFC
   * 9112 §6.3).
   */
  private static HttpResponse liveHead(Reply reply) {
    HttpResponseStatus status = HttpResponseStatus.valueOf(reply.response().status());
    if (reply.headOnly()) {
      HttpResponse message =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER);
      copy(reply.response(), message.headers());
      return message;
    }
    HttpResponse message = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
    copy(reply.response(), message.headers());
    boolean chunked =
        reply.version().equals(HttpVersion.HTTP_1_1)
            && reply.response().status() != Response.SWITCHING_PROTOCOLS;
    HttpUtil.setTransferEncodingChunked(message, chunked);
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
