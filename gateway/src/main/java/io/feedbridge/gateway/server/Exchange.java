package io.feedbridge.gateway.server;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One exchange after another on a connection, and whether there is a next one (RFC 9112 §9.3).
 *
 * <p>An exchange is over when its request has been read and its response written, in either order.
 * A handler below may answer at any time by writing a {@link Response}; what then comes of the
 * request's body never reaches it. Such a body is read over if it is announced to be small, so that
 * the connection can be kept; otherwise the connection is closed, because RFC 9112 §9.3 has the
 * server read the body or close. So it is after an unheeded 100-continue, since nobody can know
 * whether the body is still to come (RFC 9110 §10.1.1).
 */
final class Exchange extends ChannelDuplexHandler {
  private final Runnable next;
  private final BooleanSupplier stopping;
  private final ServerLimits limits;

  private @Nullable HttpRequest head;
  private boolean read;
  private boolean answered;
  private boolean closing;
  private boolean passing;
  private boolean paused;

  /**
   * @param next lets the next request come; called once for each exchange that leaves the
   *     connection open
   * @param stopping whether each response is to be the last of its connection
   */
  Exchange(Runnable next, BooleanSupplier stopping, ServerLimits limits) {
    this.next = next;
    this.stopping = stopping;
    this.limits = limits;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (closing) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest request) {
      head = request;
      read = false;
      answered = false;
    }
    read |= message instanceof LastHttpContent;
    if (answered) {
      readOver(ctx, message);
    } else {
      pass(ctx, message);
    }
    if (!read || closing) {
      return;
    }
    if (answered) {
      finish(ctx);
    } else {
      paused = true;
      ctx.channel().config().setAutoRead(false);
    }
  }

  private void pass(ChannelHandlerContext ctx, Object message) {
    passing = true;
    try {
      ctx.fireChannelRead(message);
    } finally {
      passing = false;
    }
  }

  private void readOver(ChannelHandlerContext ctx, Object message) {
    boolean bad = message instanceof HttpObject object && object.decoderResult().isFailure();
    ReferenceCountUtil.release(message);
    if (bad) {
      close(ctx);
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (!(message instanceof Response response)) {
      Outbound.pass(ctx, message, promise);
      return;
    }
    if (answered || closing) {
      // The body of a request answered early broke off or came too late.
      promise.tryFailure(new IllegalStateException("the request has been answered"));
      close(ctx);
      return;
    }
    answered = true;
    closing = response.isClosing() || !persists();
    HttpRequest request = head;
    boolean headOnly = request != null && request.method().equals(HttpMethod.HEAD);
    HttpVersion version = request == null ? HttpVersion.HTTP_1_1 : request.protocolVersion();
    Outbound.pass(ctx, new Reply(response, headOnly, version, closing), promise);
    if (closing) {
      promise.addListener(written -> close(ctx));
    } else {
      promise.addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
      if (read && !passing) {
        finish(ctx);
      }
    }
  }

  private boolean persists() {
    HttpRequest request = head;
    if (request == null || stopping.getAsBoolean() || !HttpUtil.isKeepAlive(request)) {
      return false;
    }
    return read || willReadOver(request);
  }

  private boolean willReadOver(HttpRequest request) {
    long announced = HttpUtil.getContentLength(request, -1L);
    return announced >= 0
        && announced <= limits.unreadBody()
        && !request.headers().contains(HttpHeaderNames.EXPECT);
  }

  private void finish(ChannelHandlerContext ctx) {
    head = null;
    read = false;
    answered = false;
    if (paused) {
      paused = false;
      ctx.channel().config().setAutoRead(true);
    }
    next.run();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    // An exchange under way whose response is still to come ends the connection with it.
    if (event == Connections.Event.STOPPING && !closing && (head == null || answered)) {
      close(ctx);
    }
    ctx.fireUserEventTriggered(event);
  }

  /** A client that has said its last word is not waited for. */
  private void close(ChannelHandlerContext ctx) {
    closing = true;
    HttpRequest request = head;
    boolean unreadInput = request != null && !(read && !HttpUtil.isKeepAlive(request));
    if (unreadInput && ctx.channel() instanceof DuplexChannel && ctx.channel().isActive()) {
      LingeringClose.begin(ctx.pipeline(), limits);
    } else {
      Outbound.close(ctx);
    }
  }
}
