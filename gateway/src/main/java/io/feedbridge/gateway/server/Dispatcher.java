package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the route's handler and writes its response: 400 for a {@link BadRequestException}, 500 for
 * any other failure, 503 when the handler takes too long. A failure is logged here and only here,
 * with the route's pattern and never the query, header fields or body, which may hold secrets.
 */
final class Dispatcher extends SimpleChannelInboundHandler<BodyCollector.Routed> {
  private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

  private final UnaryOperator<Request> original;
  private final Duration handlerTime;

  /**
   * A dispatcher.
   *
   * @param original the request that the client sent, of one that another server may have passed on
   */
  Dispatcher(UnaryOperator<Request> original, Duration handlerTime) {
    this.original = original;
    this.handlerTime = handlerTime;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, BodyCollector.Routed routed) {
    Call call = new Call(ctx, routed);
    try {
      call.await(routed.route().handler().handle(original.apply(routed.request())));
    } catch (Throwable e) {
      call.answer(call.failed(e));
    }
  }

  /** One call of a handler, answered once: by its stage or by the deadline. On the event loop. */
  private final class Call {
    private final ChannelHandlerContext ctx;
    private final BodyCollector.Routed routed;
    private @Nullable Future<?> deadline;
    private boolean answered;

    Call(ChannelHandlerContext ctx, BodyCollector.Routed routed) {
      this.ctx = ctx;
      this.routed = routed;
    }

    void await(CompletionStage<Response> stage) {
      stage.whenComplete(
          (response, failure) -> {
            if (ctx.executor().inEventLoop()) {
              complete(response, failure);
            } else {
              ctx.executor().execute(() -> complete(response, failure));
            }
          });
      if (!answered) {
        deadline =
            ctx.executor().schedule(() -> late(stage), handlerTime.toNanos(), TimeUnit.NANOSECONDS);
      }
    }

    private void complete(@Nullable Response response, @Nullable Throwable failure) {
      if (deadline != null) {
        deadline.cancel(false);
      }
      if (answered) {
        return;
      }
      if (response != null) {
        answer(response);
      } else {
        answer(failed(failure == null ? new NullPointerException("no response") : failure));
      }
    }

    private void late(CompletionStage<Response> stage) {
      log.atWarn()
          .setMessage("handler took too long")
          .addKeyValue("route", routed.route().pattern())
          .addKeyValue("method", routed.request().method())
          .addKeyValue("bound", handlerTime)
          .log();
      answer(refusal(503, "the request took too long").withHeader("Retry-After", "60"));
      // A handler that still waits in a queue need not run: the client has been told that it did
      // not.
      if (stage instanceof CompletableFuture<Response> future) {
        future.cancel(false);
      }
    }

    private Response failed(Throwable thrown) {
      Throwable failure =
          thrown instanceof CompletionException && thrown.getCause() != null
              ? thrown.getCause()
              : thrown;
      if (failure instanceof BadRequestException bad) {
        return refusal(400, bad.reason());
      }
      log.atError()
          .setMessage("handler failed")
          .addKeyValue("route", routed.route().pattern())
          .addKeyValue("method", routed.request().method())
          .setCause(failure)
          .log();
      return refusal(500, "internal error");
    }

    private Response refusal(int status, String reason) {
      return routed.route().refusals().of(status, reason);
    }

    private void answer(Response response) {
      if (!answered) {
        answered = true;
        Outbound.send(ctx, response);
      }
    }
  }
}
