package io.feedbridge.gateway.bench;

import io.feedbridge.gateway.client.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpResponseDecoder;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The reference: a bare Netty client that sends what the gateway has sent, signed for each
 * subscription anew, over as many connections, and does nothing else.
 */
final class Reference implements Talk.Role {

  private static final int CONNECT_MILLIS = 5_000;

  private final EventLoopGroup loops =
      Transport.best().newGroup(Runtime.getRuntime().availableProcessors(), "reference");
  private final Clock clock;
  private final List<ReferenceConnection> connections = new ArrayList<>();
  private Hosts hosts = new Hosts(1, 0);

  Reference(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Object asked(String... words) throws Exception {
    return switch (words[0]) {
      case "connect" -> connect(number(words[1]), number(words[2]), number(words[3]));
      case "run" ->
          run(Path.of(words[1]), Path.of(words[2]), number(words[3]), Long.parseLong(words[4]));
      default -> throw new IllegalArgumentException("unknown: " + words[0]);
    };
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  /** {@code connect PORT HOSTS CONNECTIONS-EACH}. */
  private Map<String, Object> connect(int port, int count, int each) throws Exception {
    hosts = new Hosts(count, port);
    for (int host = 0; host < count; host++) {
      for (int i = 0; i < each; i++) {
        connections.add(open(host));
      }
    }
    return Map.of();
  }

  private ReferenceConnection open(int host) throws InterruptedException {
    ReferenceConnection connection = new ReferenceConnection(host);
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
        .connect(new InetSocketAddress(Hosts.inetAddress(host), hosts.port()))
        .sync();
    return connection;
  }

  /** {@code run HEAD BODY SUBSCRIPTIONS EVENT}: says when it began. */
  private Map<String, Object> run(Path head, Path body, int subscriptions, long event)
      throws Exception {
    Sample sample =
        Sample.of(Files.readString(head, StandardCharsets.ISO_8859_1), Files.readAllBytes(body));
    Instant now = clock.instant();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    List<ReferenceShare> shares = new ArrayList<>();
    for (int host = 0; host < hosts.count(); host++) {
      shares.add(new ReferenceShare(sample, hosts, host, subscriptions, event));
    }
    for (ReferenceConnection connection : connections) {
      ends.add(connection.run(shares.get(connection.host())));
    }
    CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new)).get();
    return Map.of("began", TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + now.getNano() / 1_000);
  }

  static byte[] decoded(String base64) {
    return Base64.getDecoder().decode(base64);
  }
}
