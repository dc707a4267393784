package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.testing.NettyHost;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;

/**
 * A listener on an address of its own that can end connections in the middle, and be taken away and
 * brought back. It owes nothing to the gateway's own server.
 */
final class SinkHost implements AutoCloseable {

  private final Place place;
  private final NettyHost host;

  /** Where it listens. */
  record Place(String address, int port) {
    String url() {
      return "http://" + address + ":" + port;
    }
  }

  /** Takes requests. */
  interface Sink {
    /** The answer; a stage that never ends hangs. */
    CompletionStage<Answer> take(Asked request);
  }

  /**
   * A request.
   *
   * @param query of its URL
   * @param body not changed afterwards
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Asked(
      String method,
      String path,
      Map<String, List<String>> query,
      HttpHeaders headers,
      byte[] body) {
    Optional<String> header(String header) {
      return Optional.ofNullable(headers.get(header));
    }

    Optional<String> parameter(String parameter) {
      return query.getOrDefault(parameter, List.of()).stream().findFirst();
    }
  }

  /**
   * What is answered.
   *
   * @param status {@link #CLOSE} and {@link #RESET} end the connection instead
   * @param onSend is told the status right before it is sent, and not at all if the other side went
   */
  record Answer(int status, String text, IntConsumer onSend) {
    static final int CLOSE = 0;
    static final int RESET = -1;
  }

  SinkHost(Place place, EventLoopGroup loops, Sink sink) {
    this.place = place;
    host = new NettyHost(loops, place.address, place.port, () -> new Requests(sink));
    listen();
  }

  Place place() {
    return place;
  }

  /** From now on, connections are refused, and those that are open end. */
  void vanish() {
    host.refuse();
  }

  /** It is there, whether it was before or not. */
  void listen() {
    host.listen();
  }

  @Override
  public void close() {
    vanish();
  }

  private static final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final Sink sink;

    Requests(Sink sink) {
      this.sink = sink;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      QueryStringDecoder uri = new QueryStringDecoder(request.uri());
      Asked asked =
          new Asked(
              request.method().name(),
              uri.path().substring(1),
              uri.parameters(),
              request.headers().copy(),
              ByteBufUtil.getBytes(request.content()));
      var unused =
          sink.take(asked)
              .thenAccept(answer -> context.executor().execute(() -> send(context, answer)));
    }

    private static void send(ChannelHandlerContext context, Answer answer) {
      Channel channel = context.channel();
      if (!channel.isActive()) {
        return;
      }
      answer.onSend.accept(answer.status);
      if (answer.status == Answer.RESET) {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
      }
      if (answer.status <= 0) {
        var unused = channel.close();
        return;
      }
      byte[] text = answer.text.getBytes(StandardCharsets.UTF_8);
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              HttpResponseStatus.valueOf(answer.status),
              Unpooled.wrappedBuffer(text));
      if (answer.status != HttpResponseStatus.NO_CONTENT.code()) {
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, text.length);
      }
      var unused = context.writeAndFlush(response);
    }

    /** A connection that the other side ended: there is nobody to answer any more. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      var unused = context.close();
    }
  }
}
