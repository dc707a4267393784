package io.feedbridge.gateway.bench.parts;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One connection of a bare client: sends the next request when it has the answer to the last. */
final class ClientConnection extends SimpleChannelInboundHandler<HttpObject> {

  private final int host;
  private @Nullable Channel channel;
  private @Nullable Requests share;
  private long sentAt;
  private CompletableFuture<Void> end = new CompletableFuture<>();

  ClientConnection(int host) {
    this.host = host;
  }

  int host() {
    return host;
  }

  /** Whether it can take requests: a server closes a connection without requests after a while. */
  boolean isOpen() {
    return channel != null && channel.isActive();
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    channel = context.channel();
  }

  /** Sends the requests that are left; completes when none is. */
  CompletableFuture<Void> run(Requests of) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Channel mine = Objects.requireNonNull(channel, "it is connected");
    mine.eventLoop()
        .execute(
            () -> {
              share = of;
              end = ended;
              next(mine);
            });
    return ended;
  }

  private void next(Channel mine) {
    FullHttpRequest request = share == null ? null : share.next();
    if (request == null) {
      end.complete(null);
    } else {
      sentAt = System.nanoTime();
      mine.writeAndFlush(request)
          .addListener(
              sent -> {
                if (!sent.isSuccess()) {
                  end.completeExceptionally(sent.cause());
                }
              });
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
    if (message instanceof HttpResponse response && response.status().code() / 100 != 2) {
      end.completeExceptionally(new IllegalStateException("it answered " + response.status()));
    }
    if (message instanceof LastHttpContent) {
      if (share != null) {
        share.answered(System.nanoTime() - sentAt);
      }
      next(context.channel());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    end.completeExceptionally(cause);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end.completeExceptionally(new IllegalStateException("the sink closed a connection"));
  }
}
