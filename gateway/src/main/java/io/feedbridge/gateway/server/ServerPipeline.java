package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Connections;
import io.feedbridge.gateway.server.limits.RequestRoom;
import io.feedbridge.gateway.server.limits.ResponseRoom;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.limits.TlsCertificate;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The handlers of a connection, in the order in which a request passes them. A handler answers by
 * writing a {@link Response}, which passes {@link Observation}, {@link Exchange}, {@link
 * LiveResponses}, {@link ResponseWriter}, {@link ChunkedWriteHandler} and {@link ReadDeadlines} on
 * its way out; these therefore come first.
 */
final class ServerPipeline extends ChannelInitializer<Channel> {
  private final Connections connections;
  private final Supplier<Router> router;
  private final ServerLimits limits;
  private final ServerObserver observer;
  private final ResponseWriter responseWriter;
  private final FramingRule framingRule = new FramingRule();
  private final HostRule hostRule = new HostRule();
  private final HttpsRule httpsRule;
  private final UnaryOperator<Request> original;
  private final ExpectRule expectRule = new ExpectRule();
  private final Routing routing;
  private final RequestRoom room;
  private final ResponseRoom responses;
  private final LastResort lastResort = new LastResort();
  private final Optional<TlsCertificate> certificate;

  ServerPipeline(
      ServerConfig config, Connections connections, RequestRoom room, ResponseRoom responses) {
    this.connections = connections;
    this.router = config.router();
    this.limits = config.limits();
    this.observer = config.observer();
    this.responseWriter = new ResponseWriter(config.clock(), responses);
    this.responses = responses;
    this.routing = new Routing(config.router());
    this.room = room;
    this.certificate = config.certificate();
    this.httpsRule =
        new HttpsRule(
            certificate.isPresent(),
            config.plain(),
            config.forwards().map(ServerConfig.Forwards::header).orElse(""));
    this.original =
        config.forwards().map(ServerConfig.Forwards::original).orElse(UnaryOperator.identity());
  }

  @Override
  protected void initChannel(Channel channel) {
    channel
        .closeFuture()
        .addListener(
            closed -> {
              room.free(channel);
              responses.free(channel);
            });
    RequestDecoder decoder = new RequestDecoder(limits, room);
    channel.pipeline().addLast(connections);
    certificate.ifPresent(tls -> channel.pipeline().addLast(tls.newHandler(limits.headTime())));
    channel
        .pipeline()
        .addLast(decoder)
        .addLast(new HttpResponseEncoder())
        .addLast(new ReadDeadlines(limits, connections.crowd()))
        .addLast(new ChunkedWriteHandler())
        .addLast(responseWriter)
        .addLast(new LiveResponses(limits, responses))
        .addLast(new Exchange(() -> next(channel, decoder), connections::isStopping, limits))
        .addLast(new Observation(observer, router))
        .addLast(framingRule)
        .addLast(hostRule)
        .addLast(httpsRule)
        .addLast(expectRule)
        .addLast(routing)
        .addLast(new BodyCollector(room))
        .addLast(new Dispatcher(original, limits.handlerTime()))
        .addLast(lastResort);
  }

  private void next(Channel channel, RequestDecoder decoder) {
    room.free(channel);
    decoder.next();
  }
}
