package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Proxy;
import io.feedbridge.gateway.client.address.Target;
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
 * address after the other, the tunnel of a proxy, TLS. With a proxy name and addresses are the
 * proxy's, which looks up the origin's name itself. The very addresses that were checked are
 * dialled, so that a name which changes its mind gains nothing. The gate judges each address before
 * that one is dialled.
 */
final class Dial {
  /** Addresses of one name that are dialled: a name must not make the gateway call a network. */
  static final int MAX_ADDRESSES = 8;

  private final HostPool pool;
  private final Exchange exchange;
  private final Shard.Shared shared;
  private final Target target;
  private final @Nullable Proxy proxy;

  /** The target, or its proxy. */
  private final Target next;

  private @Nullable Channel channel;
  private boolean over;

  Dial(HostPool pool, Exchange exchange) {
    this.pool = pool;
    this.exchange = exchange;
    shared = pool.shard().shared();
    target = exchange.request().target();
    proxy = exchange.proxy();
    next = proxy == null ? target : proxy.target();
  }

  void start() {
    exchange.heldAt(Exchange.Stage.RESOLVING, this::abandon);
    InetAddress literal = next.literal();
    if (literal != null) {
      check(List.of(literal));
      return;
    }
    var unused =
        lookUp().whenComplete((found, error) -> pool.shard().execute(() -> resolved(found, error)));
  }

  private CompletableFuture<List<InetAddress>> lookUp() {
    try {
      return shared.resolver().resolve(next.origin().host());
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
      fail(unresolved(error));
      return;
    }
    check(found);
  }

  /** A host without a name is gone in time, which its proxy's name does not tell. */
  private CallException unresolved(@Nullable Throwable cause) {
    return new CallException(
        proxy == null ? Failure.UNRESOLVED : Failure.CONNECT,
        "No address was found for " + exchange.peer(),
        cause);
  }

  private void check(List<InetAddress> addresses) {
    for (InetAddress address : addresses) {
      if (!shared.policy().permits(exchange.call().purpose(), address)) {
        fail(AddressPolicy.forbiddenNetwork(exchange.peer()));
        return;
      }
    }
    exchange.heldAt(Exchange.Stage.CONNECTING, this::abandon);
    connect(addresses.subList(0, Math.min(addresses.size(), MAX_ADDRESSES)), 0, null);
  }

  /**
   * Dials the first address from an index on that the gate lets pass.
   *
   * @param before why none was dialled with success so far; absent if none was tried
   */
  private void connect(List<InetAddress> addresses, int from, @Nullable CallException before) {
    CallException failure = before;
    for (int index = from; index < addresses.size(); index++) {
      // Where the connection goes is known only here: any name may lead to any address.
      if (shared.policy().isOwn(addresses.get(index), next.origin().port())) {
        fail(AddressPolicy.ownAddress(exchange.peer(), next.origin().port()));
        return;
      }
      Optional<CallException> refusal = exchange.refusal(addresses.get(index));
      if (refusal.isEmpty()) {
        dial(addresses, index, failure);
        return;
      }
      // The call reports the gate's refusal, which may pass, rather than an earlier failed connect.
      failure = refusal.get();
      if (failure.failure() == Failure.ADDRESS_REFUSED) {
        break;
      }
    }
    fail(failure == null ? unresolved(null) : failure);
  }

  private void dial(List<InetAddress> addresses, int index, @Nullable CallException before) {
    InetSocketAddress address = new InetSocketAddress(addresses.get(index), next.origin().port());
    Connection connection = new Connection(pool, addresses.get(index));
    ChannelFuture connecting =
        shared
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
            connected(connection, connecting.channel());
            return;
          }
          channel = null;
          boolean refused = before != null && before.failure() == Failure.TOO_OFTEN;
          connect(addresses, index + 1, refused ? before : unreachable(done.cause()));
        });
  }

  private CallException unreachable(Throwable cause) {
    String why;
    if (cause instanceof ConnectTimeoutException) {
      why = " did not accept a connection in time";
    } else if (String.valueOf(cause.getMessage()).contains("Connection refused")) {
      // The type of the exception stands for other failures too.
      why = " refused the connection";
    } else {
      why = " is not reachable";
    }
    return new CallException(Failure.CONNECT, exchange.peer() + why, cause);
  }

  private void connected(Connection connection, Channel connected) {
    if (!target.origin().secure()) {
      ready(connection, connected);
    } else if (proxy == null) {
      secure(connection, connected);
    } else {
      exchange.heldAt(Exchange.Stage.TUNNELLING, this::abandon);
      shared
          .connector()
          .startTunnel(
              connected,
              target,
              proxy,
              pool.userAgent(),
              failure -> {
                if (!over) {
                  failure.ifPresentOrElse(this::fail, () -> secure(connection, connected));
                }
              });
    }
  }

  private void secure(Connection connection, Channel connected) {
    SslHandler tls =
        shared.connector().startTls(connected, target.origin(), exchange.call().connectTimeout());
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
      fail(new CallException(Failure.BROKEN, exchange.peer() + " closed the connection at once"));
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
