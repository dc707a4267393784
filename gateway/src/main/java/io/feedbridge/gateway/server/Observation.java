package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.AttributeKey;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tells the observer of each request that was answered. */
final class Observation extends ChannelDuplexHandler {
  /** The pattern of the path that the current request found, set by {@link Routing}. */
  static final AttributeKey<String> ROUTE = AttributeKey.valueOf(Observation.class, "ROUTE");

  private static final String UNMATCHED = "unmatched";
  private static final String OTHER_METHOD = "other";

  private final ServerObserver observer;
  private final Supplier<Router> router;
  private @Nullable HttpRequest head;
  private long begunAt;

  Observation(ServerObserver observer, Supplier<Router> router) {
    this.observer = observer;
    this.router = router;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request) {
      head = request;
      begunAt = ctx.executor().ticker().nanoTime();
      ctx.channel().attr(ROUTE).set(UNMATCHED);
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    HttpRequest request = head;
    if (message instanceof Response response && request != null) {
      head = null;
      String method = request.method().name();
      observer.requestFinished(
          ctx.channel().attr(ROUTE).get(),
          router.get().knows(method) ? method : OTHER_METHOD,
          response.status(),
          Duration.ofNanos(ctx.executor().ticker().nanoTime() - begunAt));
    }
    Outbound.pass(ctx, message, promise);
  }
}
