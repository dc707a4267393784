package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.client.address.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpResponseDecoder;
import java.net.InetSocketAddress;

/** HTTP with nothing around it: one event loop for each processor, connections that are kept. */
final class BareClient {

  private static final int CONNECT_MILLIS = 5_000;

  private final EventLoopGroup loops =
      Transport.best().newGroup(Runtime.getRuntime().availableProcessors(), "bare");

  /** A connection to a host of that number. Blocks. */
  ClientConnection open(int host, InetSocketAddress address) throws InterruptedException {
    ClientConnection connection = new ClientConnection(host);
    new Bootstrap()
        .group(loops)
        .channel(Transport.best().channelClass())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel
                    .pipeline()
                    .addLast(new HttpRequestEncoder(), new HttpResponseDecoder(), connection);
              }
            })
        .connect(address)
        .sync();
    return connection;
  }
}
