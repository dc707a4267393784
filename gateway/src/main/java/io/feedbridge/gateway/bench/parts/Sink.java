package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.bench.data.Hosts;
import io.feedbridge.gateway.bench.data.Micros;
import io.feedbridge.gateway.client.address.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The receiver of all deliveries: counts each, checks the signature of one in a hundred, and knows
 * nothing else. It has one event loop, so that nothing in it is locked.
 */
final class Sink implements Talk.Role {

  private static final int BACKLOG = 4_096;

  /** The seconds of silence after which the remaining deliveries count as missing. */
  private static final int QUIET_SECONDS = 20;

  private final EventLoopGroup loop = Transport.best().newGroup(1, "sink");
  private final Clock clock;
  private SinkBook book = new SinkBook(0);
  private CompletableFuture<Roll.Arrivals> batch = new CompletableFuture<>();

  Sink(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Object asked(String... words) throws Exception {
    return switch (words[0]) {
      case "listen" -> listen(number(words[1]), number(words[2]), number(words[3]));
      case "begin" -> begin(words);
      case "await" -> await();
      case "sample" -> sample();
      default -> throw new IllegalArgumentException("unknown: " + words[0]);
    };
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private Map<String, Object> listen(int port, int hosts, int subscriptions) {
    book = new SinkBook(subscriptions);
    int bound = port;
    for (int host = 0; host < hosts; host++) {
      bound = bind(host, bound);
    }
    return Map.of("port", bound);
  }

  private int bind(int host, int port) {
    Channel listener =
        new ServerBootstrap()
            .group(loop)
            .channel(Transport.best().serverChannelClass())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new SinkConnection(book));
                  }
                })
            .bind(new InetSocketAddress(Hosts.inetAddress(host), port))
            .syncUninterruptibly()
            .channel();
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** {@code begin SENDER SUBSCRIPTIONS EVENTS-EACH SIGNED MARK}. */
  private Map<String, Object> begin(String... words) throws Exception {
    Hosts.Sender sender = Hosts.Sender.valueOf(words[1]);
    batch =
        onLoop(
            () ->
                book.begin(
                    sender,
                    number(words[2]),
                    number(words[3]),
                    Boolean.parseBoolean(words[4]),
                    words[5],
                    Micros.of(clock.instant())));
    return Map.of();
  }

  private <T> T onLoop(Callable<T> task) throws Exception {
    return loop.submit(task).get();
  }

  /** Until everything is there, or nothing comes any more. */
  private Roll.Arrivals await() throws Exception {
    int before = -1;
    int now = 0;
    while (!batch.isDone() && now != before) {
      before = now;
      try {
        batch.get(QUIET_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException stillWaiting) {
        now = onLoop(book::received);
      }
    }
    return batch.isDone() ? batch.get() : onLoop(book::arrivals);
  }

  private Map<String, Object> sample() throws Exception {
    return onLoop(
        () ->
            Map.of(
                "head",
                    Base64.getEncoder()
                        .encodeToString(book.sampleHead().getBytes(StandardCharsets.ISO_8859_1)),
                "body", Base64.getEncoder().encodeToString(book.sampleBody())));
  }
}
