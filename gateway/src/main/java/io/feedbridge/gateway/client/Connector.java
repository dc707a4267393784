package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.Origin;
import io.feedbridge.gateway.client.address.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** Opens channels: the sockets' options, the pipeline, TLS. */
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

  private static int millis(Duration span) {
    return (int)
        Math.max(
            1,
            Math.min(
                Integer.MAX_VALUE,
                span.toSeconds() >= 2_000_000 ? Integer.MAX_VALUE : span.toMillis()));
  }
}
