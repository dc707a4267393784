package io.feedbridge.gateway;

import io.feedbridge.gateway.assembly.Assembly;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.runtime.StartWarnings;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.postgres.PostgresNode;
import io.feedbridge.gateway.store.sql.Store;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Clock;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that owns the store, as one thing that starts and stops: the {@link Assembly} of its
 * parts.
 */
public final class Gateway implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);

  private final Settings settings;
  private final Lifecycle lifecycle = new Lifecycle();

  private @Nullable Store store;
  private @Nullable Router router;
  private boolean ready;

  private Gateway(Settings settings) {
    this.settings = settings;
  }

  /**
   * Starts a gateway.
   *
   * @throws IOException if it cannot listen, with a message for the operator
   * @throws StoreException if its store cannot be opened or written, likewise
   */
  public static Gateway start(Settings asked, Clock clock) throws IOException {
    return start(asked, clock, OutboundClient.Network.USUAL);
  }

  /** Starts a gateway that sees another network. */
  public static Gateway start(Settings asked, Clock clock, OutboundClient.Network network)
      throws IOException {
    return start(listening(asked), clock, network, Optional.empty(), () -> {});
  }

  /**
   * Starts the gateway of a node.
   *
   * @param node that owns the store, which must lie in its database; without one the store is a
   *     file
   * @param beforeListening leaves the address to the gateway, which listens at once after it
   */
  static Gateway start(
      Settings settings,
      Clock clock,
      OutboundClient.Network network,
      Optional<PostgresNode> node,
      Runnable beforeListening)
      throws IOException {
    Gateway gateway = new Gateway(settings);
    try {
      gateway.run(new SteadyClock(clock), network, node, beforeListening);
    } catch (CompletionException e) {
      gateway.close();
      throw e.getCause() instanceof StoreException failure ? failure : e;
    } catch (IOException | RuntimeException e) {
      gateway.close();
      throw e;
    }
    return gateway;
  }

  /** Settings with a port, which must be known before the server listens: callbacks name it. */
  static Settings listening(Settings asked) throws IOException {
    return asked.listen().getPort() == 0 ? asked.on(freePort(asked)) : asked;
  }

  private static InetSocketAddress freePort(Settings settings) throws IOException {
    try (ServerSocket probe = new ServerSocket(0, 1, settings.listen().getAddress())) {
      return new InetSocketAddress(settings.listen().getAddress(), probe.getLocalPort());
    }
  }

  private void run(
      SteadyClock clock,
      OutboundClient.Network network,
      Optional<PostgresNode> node,
      Runnable beforeListening)
      throws IOException {
    Assembly assembly = new Assembly(settings, clock, network, node, lifecycle);
    store = assembly.store();
    router = assembly.router();
    beforeListening.run();
    assembly.serve();
    log.atInfo()
        .addKeyValue("listen", settings.listen())
        .addKeyValue("publicUrl", settings.publicUrl())
        .addKeyValue("data", settings.data())
        .log("The gateway is ready");
    StartWarnings.of(settings).forEach(log::warn);
    ready = true;
  }

  /** The base of every URL that this gateway hands to others. */
  public URI publicUrl() {
    return settings.publicUrl();
  }

  /** The store, for other parts of the same process that look into it; until it is closed. */
  public Store store() {
    return Objects.requireNonNull(store, "a gateway that started has a store");
  }

  /** The routes that it serves. */
  public Router router() {
    return Objects.requireNonNull(router, "a gateway that started has routes");
  }

  /**
   * Stops intake first, then lets each stage finish or checkpoint its work in flight, and closes
   * the store last. Takes less than 10 s. Repeating it does nothing.
   */
  @Override
  public synchronized void close() {
    if (ready) {
      log.atInfo().log("The gateway stops");
    }
    lifecycle.close();
    if (ready) {
      ready = false;
      log.atInfo().log("The gateway has stopped");
    }
  }
}
