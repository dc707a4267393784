package io.feedbridge.gateway.load;

import io.feedbridge.gateway.client.address.Transport;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Any number of small HTTP hosts on loopback addresses that share few threads, so that they are not
 * what a test measures. Each behaves as its {@link Manner} says.
 */
final class LocalHosts implements AutoCloseable {

  /** What happens to a request that is not a question of the gateway's. */
  interface Handler {
    /**
     * The answer, which is sent as the host's manner says. Runs on an event loop and must not
     * block; the request is released afterwards.
     */
    Answer handle(LocalHost host, FullHttpRequest request);

    /** A verification or challenge at this path and query is being confirmed. */
    default void confirming(LocalHost host, String uri) {}
  }

  /** An answer; the manner of the host may replace its status. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Answer(int status, @Nullable String contentType, byte[] body) {

    static final Answer TAKEN = new Answer(204, null, new byte[0]);

    static Answer text(int status, String text) {
      return new Answer(status, "text/plain", text.getBytes(StandardCharsets.UTF_8));
    }

    static Answer status(int status) {
      return new Answer(status, null, new byte[0]);
    }
  }

  private final EventLoopGroup loops;
  private final Handler handler;
  private final List<LocalHost> hosts = new ArrayList<>();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  LocalHosts(int threads, Handler handler) {
    loops = Transport.best().newGroup(threads, "local-hosts");
    this.handler = handler;
  }

  /** A new host on an address such as {@code 127.0.0.9}, at a free port. */
  LocalHost listen(String address) {
    LocalHost host = new LocalHost(loops, address, Talk::new);
    host.revive();
    hosts.add(host);
    return host;
  }

  /** New hosts on consecutive addresses from 127.0.{@code network}.1 on. */
  List<LocalHost> listen(int network, int count) {
    List<LocalHost> some = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      some.add(listen("127.0." + network + "." + i));
    }
    return some;
  }

  /** Requests that were under way at once, at all hosts together, at most. */
  int most() {
    return most.get();
  }

  private void begun(LocalHost host) {
    host.begun();
    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
  }

  private void ended(LocalHost host) {
    host.ended();
    underWay.decrementAndGet();
  }

  /** One connection of a host. */
  private final class Talk extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final LocalHost host;

    Talk(LocalHost host) {
      this.host = host;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      Answer confirmed = confirmation(request);
      if (confirmed != null) {
        handler.confirming(host, request.uri());
        begun(host);
        host.confirmation().send(context, confirmed, () -> ended(host));
        return;
      }
      Answer answer = handler.handle(host, request);
      begun(host);
      host.manner().send(context, answer, () -> ended(host));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      var unused = context.close();
    }
  }

  /** Every verification and challenge is confirmed, whatever the host's manner with the rest. */
  private static @Nullable Answer confirmation(FullHttpRequest request) {
    if (!request.method().equals(HttpMethod.GET) || !request.uri().contains("challenge=")) {
      return null;
    }
    var query = new QueryStringDecoder(request.uri()).parameters();
    List<String> challenge = query.getOrDefault("hub.challenge", query.get("challenge"));
    return challenge == null ? null : Answer.text(200, challenge.get(0));
  }

  @Override
  public void close() {
    hosts.forEach(LocalHost::close);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
