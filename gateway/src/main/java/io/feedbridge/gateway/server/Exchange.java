package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Connections;
import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.message.Reply;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.ChannelDuplexHandler;
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
 * Holds a connection to one exchange after another, and decides whether there is a next one (RFC
 * 9112 §9.3).
 *
 * <p>An exchange is over when its request has been read and its response sent, in either order.
 * Only then comes the next request, or a client that pipelines and never reads could have the
 * server keep any number of responses for it.
 *
 * <p>A handler below may answer at any time by writing a {@link Response}; later parts of the
 * request's body never reach it. The server reads over a rest of the body that is announced to be
 * small, so that the connection can be kept; otherwise it closes the connection, because RFC 9112
 * §9.3 demands one of the two. It closes the connection after an unheeded 100-continue, too, since
 * the server cannot know whether the body is still to come (RFC 9110 §10.1.1).
 */
final class Exchange extends ChannelDuplexHandler {
  private final Runnable next;
  private final BooleanSupplier stopping;
  private final ServerLimits limits;

  private @Nullable HttpRequest head;
  private boolean read;
  private boolean answered;
  private boolean written;
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
    }
    read |= message instanceof LastHttpContent last && last.decoderResult().isSuccess();
    if (answered) {
      readOver(ctx, message);
    } else {
      pass(ctx, message);
    }
    if (!read || closing) {
      return;
    }
    if (written) {
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
    closing = response.isClosing() || response.live() != null || !persists();
    HttpRequest request = head;
    boolean headOnly = request != null && request.method().equals(HttpMethod.HEAD);
    HttpVersion version = request == null ? HttpVersion.HTTP_1_1 : request.protocolVersion();
    promise.addListener(sent -> sent(ctx, sent.isSuccess()));
    Outbound.pass(ctx, new Reply(response, headOnly, version, closing), promise);
  }

  private void sent(ChannelHandlerContext ctx, boolean success) {
    written = true;
    if (closing || !success) {
      close(ctx);
    } else if (read && !passing) {
      finish(ctx);
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
    return !HttpUtil.isTransferEncodingChunked(request)
        && HttpUtil.getContentLength(request, 0L) <= limits.unreadBody()
        && !request.headers().contains(HttpHeaderNames.EXPECT);
  }

  private void finish(ChannelHandlerContext ctx) {
    head = null;
    read = false;
    answered = false;
    written = false;
    if (paused) {
      paused = false;
      ctx.channel().config().setAutoRead(true);
    }
    next.run();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == Connections.Event.STOPPING && !closing) {
      if (head == null) {
        closing = true;
        Outbound.close(ctx);
      } else if (written) {
        close(ctx);
      } else if (answered) {
        closing = true;
      }
    }
    ctx.fireUserEventTriggered(event);
  }

  /** Closes in stages, or at once if the client's last request has been read whole. */
  private void close(ChannelHandlerContext ctx) {
    closing = true;
    HttpRequest request = head;
    boolean lastWord = request != null && read && !HttpUtil.isKeepAlive(request);
    if (!lastWord && ctx.channel() instanceof DuplexChannel && ctx.channel().isActive()) {
      LingeringClose.begin(ctx.pipeline(), limits);
    } else {
      Outbound.close(ctx);
    }
  }
}
