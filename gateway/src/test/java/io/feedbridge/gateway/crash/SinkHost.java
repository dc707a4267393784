package io.feedbridge.gateway.crash;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A listener on an address of its own that can end connections in the middle, and be taken away and
 * brought back. It owes nothing to the gateway's own server.
 */
final class SinkHost implements AutoCloseable {

  private static final int MAX_BODY = 16 << 20;

  private final Place place;
  private final ServerBootstrap bootstrap;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private @Nullable Channel listening;

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
    bootstrap =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, 1_024)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    open.add(channel);
                    channel
                        .pipeline()
                        .addLast(new HttpServerCodec())
                        .addLast(new HttpObjectAggregator(MAX_BODY))
                        .addLast(new Requests(sink));
                  }
                });
    listen();
  }

  Place place() {
    return place;
  }

  /** From now on, connections are refused, and those that are open end. */
  synchronized void vanish() {
    if (listening != null) {
      listening.close().syncUninterruptibly();
      listening = null;
      open.close().awaitUninterruptibly();
    }
  }

  /** It is there, whether it was before or not. */
  synchronized void listen() {
    if (listening == null) {
      listening = bootstrap.bind(place.address, place.port).syncUninterruptibly().channel();
    }
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
