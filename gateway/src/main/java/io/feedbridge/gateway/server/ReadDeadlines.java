package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Crowd;
import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how long a client may take to begin a request, to send its head and to send its body. Each
 * is a whole time and not one between two bytes, or a client that drips would hold a connection for
 * ever. A request late in its head or body is answered 408 (RFC 9110 §15.5.9); one that has not
 * begun is not one, so its connection is closed without a word.
 */
final class ReadDeadlines extends ChannelDuplexHandler {
  private enum Awaited {
    REQUEST,
    HEAD,
    BODY,
    NOTHING
  }

  private final ServerLimits limits;
  private final Crowd crowd;
  private Awaited awaited = Awaited.NOTHING;
  private boolean read;
  private boolean answered;
  private @Nullable Future<?> deadline;

  /**
   * The deadlines of one connection.
   *
   * @param crowd is told whether the server waits for this connection's client
   */
  ReadDeadlines(ServerLimits limits, Crowd crowd) {
    this.limits = limits;
    this.crowd = crowd;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    await(ctx, Awaited.REQUEST);
    ctx.fireChannelActive();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event != RequestDecoder.Progress.PARTIAL) {
      ctx.fireUserEventTriggered(event);
    } else if (awaited == Awaited.REQUEST) {
      await(ctx, Awaited.HEAD);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest) {
      read = false;
      answered = false;
      await(ctx, Awaited.BODY);
    }
    if (message instanceof LastHttpContent) {
      read = true;
      await(ctx, answered ? Awaited.REQUEST : Awaited.NOTHING);
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (!answered && isAnswer(message)) {
      answered = true;
      if (read) {
        await(ctx, Awaited.REQUEST);
      }
    }
    Outbound.pass(ctx, message, promise);
  }

  /**
   * The head of a response whose length is known, since the client's time to take it begins with
   * its first byte; the end of any other.
   */
  private static boolean isAnswer(Object message) {
    boolean last = message instanceof LastHttpContent;
    return message instanceof HttpResponse response
        ? response.status().codeClass() != HttpStatusClass.INFORMATIONAL
            && (last || response.headers().contains(HttpHeaderNames.CONTENT_LENGTH))
        : last;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    await(ctx, Awaited.NOTHING);
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    await(ctx, Awaited.NOTHING);
  }

  private void await(ChannelHandlerContext ctx, Awaited next) {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
    awaited = next;
    if (next == Awaited.NOTHING) {
      crowd.attended(ctx.channel());
    } else {
      crowd.await(ctx.channel());
    }
    switch (next) {
      case REQUEST -> schedule(ctx, limits.keepAlive(), () -> Outbound.close(ctx));
      case HEAD ->
          schedule(ctx, limits.headTime(), () -> late(ctx, "the header fields took too long"));
      case BODY -> schedule(ctx, limits.bodyTime(), () -> late(ctx, "the body took too long"));
      case NOTHING -> {}
    }
  }

  private void schedule(ChannelHandlerContext ctx, Duration time, Runnable task) {
    deadline = ctx.executor().schedule(task, time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Through the whole pipeline, because the handlers that know the exchange come after this. */
  private void late(ChannelHandlerContext ctx, String reason) {
    awaited = Awaited.NOTHING;
    Outbound.send(ctx.channel(), Response.text(408, reason).closing());
  }
}
