package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Connections;
import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.limits.ResponseRoom;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.message.Frames;
import io.feedbridge.gateway.server.message.Outflow;
import io.feedbridge.gateway.server.message.Reply;
import io.feedbridge.gateway.server.message.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.PromiseNotifier;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends responses whose content comes into being while they are sent. To the handlers behind it
 * such a response is sent when it has ended; it is the last one of its connection. When the server
 * stops it is ended.
 */
final class LiveResponses extends ChannelDuplexHandler {
  private final ServerLimits limits;
  private final ResponseRoom room;
  private @Nullable Content current;

  LiveResponses(ServerLimits limits, ResponseRoom room) {
    this.limits = limits;
    this.room = room;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (!(message instanceof Reply reply) || reply.headOnly()) {
      Outbound.pass(ctx, message, promise);
      return;
    }
    Consumer<Outflow> live = reply.response().live();
    if (live == null) {
      Outbound.pass(ctx, message, promise);
      return;
    }
    Content content = new Content(ctx, promise);
    current = content;
    // The connection must go on reading, since only a read shows that the client has gone.
    if (reply.response().status() == Response.SWITCHING_PROTOCOLS) {
      content.farewell = Frames.goingAway();
      ClientFrames.read(ctx.pipeline(), content, content::closed);
    } else {
      ctx.pipeline().addFirst(new ReadOver(limits.unreadBody()));
    }
    ctx.channel().config().setAutoRead(true);
    ctx.write(reply)
        .addListener(
            head -> {
              if (head.isSuccess()) {
                begin(ctx, live, content);
              } else {
                content.over(head.cause());
              }
            });
  }

  private static void begin(ChannelHandlerContext ctx, Consumer<Outflow> live, Content content) {
    try {
      live.accept(content);
    } catch (RuntimeException e) {
      ctx.fireExceptionCaught(e);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    Content content = current;
    if (event == Connections.Event.STOPPING && content != null) {
      content.end();
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    Content content = current;
    if (content != null) {
      content.over(new ClosedChannelException());
    }
    ctx.fireChannelInactive();
  }

  /** The content of one response. */
  private final class Content implements Outflow {
    private final ChannelHandlerContext ctx;
    private final ChannelPromise promise;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicLong unsent = new AtomicLong();

    /** The frame behind all others of a WebSocket; empty for a response. For the event loop. */
    private byte[] farewell = {};

    Content(ChannelHandlerContext ctx, ChannelPromise promise) {
      this.ctx = ctx;
      this.promise = promise;
    }

    @Override
    public CompletableFuture<Void> write(byte[] bytes) {
      CompletableFuture<Void> written = new CompletableFuture<>();
      room.take(ctx.channel(), bytes.length, null);
      var unused =
          written.whenComplete((done, failure) -> room.give(ctx.channel(), bytes.length, null));
      if (unsent.addAndGet(bytes.length) > limits.unsent()) {
        Outbound.close(ctx);
      }
      if (ctx.executor().inEventLoop()) {
        send(bytes, written);
      } else {
        ctx.executor().execute(() -> send(bytes, written));
      }
      return written;
    }

    private void send(byte[] bytes, CompletableFuture<Void> written) {
      if (ended.isDone()) {
        written.completeExceptionally(new ClosedChannelException());
        return;
      }
      ChannelFuture sent = ctx.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes)));
      if (!sent.isDone()) {
        Future<?> late =
            ctx.executor()
                .schedule(
                    () -> Outbound.close(ctx), limits.sendTime().toNanos(), TimeUnit.NANOSECONDS);
        sent.addListener(done -> late.cancel(false));
      }
      sent.addListener(
          done -> {
            unsent.addAndGet(-bytes.length);
            if (done.isSuccess()) {
              written.complete(null);
            } else {
              written.completeExceptionally(done.cause());
            }
          });
    }

    @Override
    public void end() {
      if (ctx.executor().inEventLoop()) {
        last();
      } else {
        ctx.executor().execute(this::last);
      }
    }

    /** The client of a WebSocket has sent its last frame, which is answered (RFC 6455 §5.5.1). */
    void closed(byte[] payload) {
      farewell = Frames.close(payload);
      last();
    }

    @Override
    public void abort() {
      Outbound.close(ctx);
    }

    private void last() {
      if (ended.complete(null)) {
        if (farewell.length > 0) {
          Outbound.pass(
              ctx, new DefaultHttpContent(Unpooled.wrappedBuffer(farewell)), ctx.newPromise());
        }
        ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
            .addListener(new PromiseNotifier<>(promise));
      }
    }

    @Override
    public CompletableFuture<Void> ended() {
      return ended.copy();
    }

    void over(Throwable cause) {
      ended.complete(null);
      promise.tryFailure(cause);
    }
  }

  /** Discards and bounds input that a client sends behind its last request. */
  private static final class ReadOver extends ChannelInboundHandlerAdapter {
    private final int most;
    private long bytes;

    ReadOver(int most) {
      this.most = most;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      bytes += message instanceof ByteBuf some ? some.readableBytes() : 0;
      ReferenceCountUtil.release(message);
      if (bytes > most) {
        Outbound.close(ctx);
      }
    }
  }
}
