package io.feedbridge.gateway.load;

import io.feedbridge.gateway.load.LocalHosts.Answer;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How a host answers.
 *
 * @param status instead of the answer's own; 0 for that
 */
record Manner(Kind kind, Duration delay, int status) {

  enum Kind {
    /** It answers after the delay. */
    ANSWERS,
    /** The same, and closes the connection. */
    CLOSES,
    /** It answers nothing. */
    HANGS,
    /** It resets the connection after the delay. */
    RESETS
  }

  static final Manner PROMPT = new Manner(Kind.ANSWERS, Duration.ZERO, 0);
  static final Manner CLOSING = new Manner(Kind.CLOSES, Duration.ZERO, 0);
  static final Manner HANGING = new Manner(Kind.HANGS, Duration.ZERO, 0);
  static final Manner RESETTING = new Manner(Kind.RESETS, Duration.ZERO, 0);

  static Manner after(Duration delay) {
    return new Manner(Kind.ANSWERS, delay, 0);
  }

  static Manner failing(int status) {
    return new Manner(Kind.ANSWERS, Duration.ZERO, status);
  }

  /** Whether a request that is answered so was taken by the subscriber. */
  boolean takes() {
    return (kind == Kind.ANSWERS || kind == Kind.CLOSES) && status == 0;
  }

  /**
   * Answers.
   *
   * @param done is run when the answer, if there is one, is on its way
   */
  void send(ChannelHandlerContext context, Answer answer, Runnable done) {
    switch (kind) {
      case HANGS -> {}
      case RESETS ->
          later(
              context,
              () -> {
                done.run();
                reset(context);
              });
      case ANSWERS ->
          later(
              context,
              () -> {
                done.run();
                var unused = context.writeAndFlush(response(answer));
              });
      case CLOSES ->
          later(
              context,
              () -> {
                done.run();
                FullHttpResponse response = response(answer);
                response.headers().set(HttpHeaderNames.CONNECTION, "close");
                var unused =
                    context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
              });
    }
  }

  private void later(ChannelHandlerContext context, Runnable action) {
    if (delay.isZero()) {
      action.run();
    } else {
      var unused = context.executor().schedule(action, delay.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private static void reset(ChannelHandlerContext context) {
    context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
    var unused = context.close();
  }

  private FullHttpResponse response(Answer answer) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(status == 0 ? answer.status() : status),
            Unpooled.wrappedBuffer(answer.body()));
    if (answer.contentType() != null) {
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, answer.contentType());
    }
    if (response.status().code() != 204) {
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, answer.body().length);
    }
    return response;
  }
}
