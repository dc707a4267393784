package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.CallException.Failure;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Opens one connection for one exchange: name lookup, the check of every address, TCP to one
 * address after the other, TLS. The very addresses that were checked are dialled, so that a name
 * which changes its mind gains nothing.
 */
final class Dial {
  private final HostPool pool;
  private final Exchange exchange;
  private final OutboundClient client;
  private final Target target;
  private @Nullable Channel channel;
  private boolean over;

  Dial(HostPool pool, Exchange exchange) {
    this.pool = pool;
    this.exchange = exchange;
    client = pool.shard().client();
    target = exchange.request().target();
  }

  void start() {
    exchange.heldAt(Exchange.Stage.RESOLVING, this::abandon);
    InetAddress literal = target.literal();
    if (literal != null) {
      check(List.of(literal));
      return;
    }
    var unused =
        lookUp().whenComplete((found, error) -> pool.shard().execute(() -> resolved(found, error)));
  }

  private CompletableFuture<List<InetAddress>> lookUp() {
    try {
      return client.resolver().resolve(exchange.host());
    } catch (RuntimeException e) {
      // A closed resolver, or a name that it cannot encode.
      return CompletableFuture.failedFuture(e);
    }
  }

  private void resolved(@Nullable List<InetAddress> found, @Nullable Throwable error) {
    if (over) {
      return;
    }
    if (found == null || found.isEmpty()) {
      fail(
          new CallException(
              Failure.UNRESOLVED, "No address was found for " + exchange.host(), error));
      return;
    }
    check(found);
  }

  private void check(List<InetAddress> addresses) {
    for (InetAddress address : addresses) {
      if (!client.policy().permits(exchange.call().purpose(), address)) {
        fail(
            new CallException(
                Failure.ADDRESS_REFUSED,
                exchange.host()
                    + " is in a network that must not be called; the operator can allow it"));
        return;
      }
    }
    Optional<CallException> refusal = exchange.refusal(addresses.get(0));
    if (refusal.isPresent()) {
      fail(refusal.get());
      return;
    }
    exchange.heldAt(Exchange.Stage.CONNECTING, this::abandon);
    connect(addresses, 0);
  }

  private void connect(List<InetAddress> addresses, int index) {
    InetSocketAddress address = new InetSocketAddress(addresses.get(index), target.origin().port());
    Connection connection = new Connection(pool, addresses.get(index));
    ChannelFuture connecting =
        client
            .connector()
            .connect(pool.shard().loop(), connection, address, exchange.call().connectTimeout());
    channel = connecting.channel();
    connecting.addListener(
        (Future<Void> done) -> {
          if (over) {
            // Its channel is being closed, or was never opened.
            return;
          }
          if (done.isSuccess()) {
            secure(connection, connecting.channel());
            return;
          }
          channel = null;
          if (index + 1 < addresses.size()) {
            connect(addresses, index + 1);
          } else {
            fail(unreachable(done.cause()));
          }
        });
  }

  private CallException unreachable(Throwable cause) {
    String why =
        cause instanceof ConnectTimeoutException
            ? " did not accept a connection in time"
            : " is not reachable";
    return new CallException(Failure.CONNECT, exchange.host() + why, cause);
  }

  private void secure(Connection connection, Channel connected) {
    if (!target.origin().secure()) {
      ready(connection, connected);
      return;
    }
    SslHandler tls =
        client.connector().startTls(connected, target.origin(), exchange.call().connectTimeout());
    tls.handshakeFuture()
        .addListener(
            (Future<Channel> done) -> {
              if (over) {
                return;
              }
              if (done.isSuccess()) {
                ready(connection, connected);
              } else {
                fail(insecure(done.cause()));
              }
            });
  }

  private CallException insecure(Throwable cause) {
    String why = "The TLS handshake with " + exchange.host() + " failed";
    if (cause instanceof SslHandshakeTimeoutException) {
      why = exchange.host() + " did not finish the TLS handshake in time";
    }
    for (Throwable c = cause; c != null; c = c.getCause()) {
      if (c instanceof CertificateException) {
        why = "The certificate of " + exchange.host() + " is not trusted, or not for this host";
      }
    }
    return new CallException(Failure.TLS, why, cause);
  }

  private void ready(Connection connection, Channel connected) {
    if (!connected.isActive()) {
      fail(new CallException(Failure.BROKEN, exchange.host() + " closed the connection at once"));
      return;
    }
    over = true;
    pool.dialled(exchange, connection);
  }

  private void fail(CallException failure) {
    exchange.fail(failure);
  }

  /** The exchange has ended: by its time, by a failure here, or because the client closes. */
  private void abandon() {
    if (over) {
      return;
    }
    over = true;
    if (channel != null) {
      var unused = channel.close();
    }
    pool.dialFailed(exchange);
  }
}
