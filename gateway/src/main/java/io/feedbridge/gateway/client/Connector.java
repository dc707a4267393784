package io.feedbridge.gateway.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Origin;
import io.feedbridge.gateway.client.address.Proxy;
import io.feedbridge.gateway.client.address.Target;
import io.feedbridge.gateway.client.address.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** Opens channels: the sockets' options, the pipeline, tunnels, TLS. */
final class Connector {
  /** How long a peer that reads nothing may delay the closing of a connection. */
  private static final long CLOSE_NOTIFY_MILLIS = 300;

  private final Transport transport;
  private final SslContext tls;

  Connector(Transport transport, @Nullable TrustManager trustManager) {
    this.transport = transport;
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .protocols("TLSv1.3", "TLSv1.2")
            .endpointIdentificationAlgorithm("HTTPS");
    if (trustManager != null) {
      builder.trustManager(trustManager);
    }
    try {
      tls = builder.build();
    } catch (SSLException e) {
      throw new IllegalStateException("This Java has no usable TLS", e);
    }
  }

  ChannelFuture connect(
      EventLoop loop, Connection connection, InetSocketAddress address, Duration timeout) {
    return new Bootstrap()
        .group(loop)
        .channel(transport.channelClass())
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis(timeout))
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        // A server may answer and close before it has read the whole request. The failed write must
        // not throw the
        // answer away; the reading side decides.
        .option(ChannelOption.AUTO_CLOSE, false)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                ResponseDecoder decoder = new ResponseDecoder();
                connection.bind(channel, decoder);
                channel.pipeline().addLast(decoder, connection);
              }
            })
        .disableResolver()
        .connect(address);
  }

  SslHandler startTls(Channel channel, Origin origin, Duration timeout) {
    SslHandler handler = tls.newHandler(channel.alloc(), origin.host(), origin.port());
    handler.setCloseNotifyFlushTimeoutMillis(CLOSE_NOTIFY_MILLIS);
    handler.setHandshakeTimeout(millis(timeout), TimeUnit.MILLISECONDS);
    // The JDK sends no server name for a host without a dot, and refuses one with an underscore.
    if (origin.host().matches("[a-z0-9.-]*[a-z][a-z0-9.-]*")) {
      SSLParameters parameters = handler.engine().getSSLParameters();
      parameters.setServerNames(List.of(new SNIHostName(origin.host())));
      handler.engine().setSSLParameters(parameters);
    }
    channel.pipeline().addFirst(handler);
    return handler;
  }

  /**
   * Asks a proxy to connect to an origin.
   *
   * @param done told once: the failure, or none when bytes to the origin may be sent
   */
  void startTunnel(
      Channel channel,
      Target origin,
      Proxy proxy,
      Header userAgent,
      Consumer<Optional<CallException>> done) {
    Tunnel tunnel = new Tunnel(origin.origin().host(), done);
    channel.pipeline().addFirst(tunnel.decoder, tunnel);
    String to = origin.authority();
    ByteBuf request = channel.alloc().buffer();
    request.writeCharSequence("CONNECT " + to + " HTTP/1.1\r\nhost: " + to + "\r\n", US_ASCII);
    request.writeBytes(userAgent.line());
    RequestHead.authorize(request, proxy);
    request.writeCharSequence("\r\n", US_ASCII);
    var unused = channel.writeAndFlush(request);
  }

  private static int millis(Duration span) {
    return (int)
        Math.max(
            1,
            Math.min(
                Integer.MAX_VALUE,
                span.toSeconds() >= 2_000_000 ? Integer.MAX_VALUE : span.toMillis()));
  }

  /**
   * Asks a proxy to connect to an origin (RFC 9110 §9.3.6) on a connection that nothing was sent
   * on. When the proxy has done so, the handler and its decoder leave the pipeline, and every byte
   * comes from the origin. Confined to the event loop of its channel.
   */
  private static final class Tunnel extends ChannelInboundHandlerAdapter {

    private final String host;
    private final Consumer<Optional<CallException>> done;
    private final ResponseDecoder decoder = ResponseDecoder.ofHeadsAlone();
    private @Nullable HttpResponse head;
    private boolean over;

    private Tunnel(String host, Consumer<Optional<CallException>> done) {
      this.host = host;
      this.done = done;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (head == null && message instanceof HttpResponse response) {
        head = response;
      }
      ReferenceCountUtil.release(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      HttpResponse answer = head;
      if (answer == null || over) {
        return;
      }
      if (!answer.decoderResult().isSuccess()) {
        fail(" sent something that is not HTTP, or whose headers are too long");
      } else if (answer.status().equals(HttpResponseStatus.PROXY_AUTHENTICATION_REQUIRED)) {
        end(Optional.of(Proxy.unauthorized(host)));
      } else if (answer.status().codeClass() != HttpStatusClass.SUCCESS) {
        fail(" does not connect to it: status " + answer.status().code());
      } else if (decoder.hasUnread() || decoder.begun() > 1) {
        fail(" sent more than an answer before it was connected");
      } else {
        ctx.pipeline().remove(decoder).remove(this);
        end(Optional.empty());
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      fail(" closed the connection instead of connecting to it");
      ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      fail(" broke the connection instead of connecting to it");
    }

    private void fail(String what) {
      end(Optional.of(new CallException(Failure.CONNECT, Proxy.of(host) + what)));
    }

    private void end(Optional<CallException> failure) {
      if (!over) {
        over = true;
        done.accept(failure);
      }
    }
  }
}
