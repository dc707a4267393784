package io.feedbridge.gateway.load;

import io.feedbridge.gateway.testing.NettyHost;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * One host: an address and a port. It can answer in any {@link Manner}, refuse connections, or let
 * them time out. Its life is changed by one thread at a time.
 */
final class LocalHost implements AutoCloseable {

  private final NettyHost host;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private volatile Manner manner = Manner.PROMPT;
  private volatile Manner confirmation = Manner.PROMPT;

  /**
   * A host that does not listen yet.
   *
   * @param talk makes the handler of a connection
   */
  LocalHost(EventLoopGroup loops, String address, Function<LocalHost, ChannelHandler> talk) {
    host = new NettyHost(loops, address, 0, () -> talk.apply(this));
  }

  /** The URL of a path without its slash. */
  String url(String path) {
    return "http://" + authority() + "/" + path;
  }

  /** Address and port. */
  String authority() {
    return address() + ":" + port();
  }

  String address() {
    return host.address();
  }

  int port() {
    return host.port();
  }

  Manner manner() {
    return manner;
  }

  void manner(Manner from) {
    manner = from;
  }

  Manner confirmation() {
    return confirmation;
  }

  /** How verifications and challenges are answered. */
  void confirmation(Manner from) {
    confirmation = from;
  }

  void begun() {
    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
  }

  void ended() {
    underWay.decrementAndGet();
  }

  /** Requests that were under way at once, at most. */
  int most() {
    return most.get();
  }

  /** Listens again, at the same port as before. */
  void revive() {
    host.listen();
  }

  /** Closes all connections; new ones are refused from now on. */
  void refuse() {
    host.refuse();
  }

  /** Closes all connections; new ones neither come about nor are refused from now on. */
  void swallow() {
    host.swallow();
  }

  @Override
  public void close() {
    host.close();
  }
}
