package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.cluster.NamedLimits;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.postgres.PostgresNode;
import io.feedbridge.gateway.store.sql.Store;
import java.io.IOException;
import java.util.Optional;

/**
 * The parts of the process that owns the store: {@link Machines}, the {@link OwnerParts} on the way
 * of the data, the {@link ServingPart} and the {@link WebPart} are started in this order, and
 * stopped in the reverse order.
 */
public final class Assembly {

  private final Store store;
  private final Router router;
  private final WebPart web;
  private final OwnerParts owner;
  private final Optional<PostgresNode> node;
  private final Lifecycle lifecycle;

  /**
   * Starts all parts but the server.
   *
   * @param network that the gateway calls
   * @param node that owns the store, which must lie in its database; without one the store is a
   *     file
   * @param lifecycle stops them
   * @throws IOException if a file or Kafka's client cannot be used, with a message for the operator
   * @throws StoreException if the store cannot be opened or written, likewise
   */
  public Assembly(
      Settings settings,
      SteadyClock clock,
      OutboundClient.Network network,
      Optional<PostgresNode> node,
      Lifecycle lifecycle)
      throws IOException {
    this.node = node;
    this.lifecycle = lifecycle;
    Machines machines = Machines.owning(settings, clock, network, node, lifecycle);
    store = machines.store;
    ServingPart serving = new ServingPart(settings, machines);
    owner = new OwnerParts(settings, machines, serving);
    web = new WebPart(settings, machines, serving, Optional.of(owner));
    owner.start(lifecycle);
    serving.start(lifecycle);
    Router.Builder routes = Router.builder();
    if (node.isPresent()) {
      routes.around(new NamedLimits(settings.storage().node()));
    }
    router = web.addTo(routes).build();
  }

  /** The store. */
  public Store store() {
    return store;
  }

  /** The routes that {@link #serve} serves. */
  public Router router() {
    return router;
  }

  /**
   * Begins to serve.
   *
   * @throws IOException if it cannot listen, with a message for the operator
   */
  public void serve() throws IOException {
    web.serve(router, node.map(any -> owner.forwards()), lifecycle);
  }
}
