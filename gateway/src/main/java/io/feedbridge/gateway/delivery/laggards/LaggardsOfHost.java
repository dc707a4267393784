package io.feedbridge.gateway.delivery.laggards;

import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The next laggards of one host. Where some of the host's callbacks are silent, laggards of the
 * other callbacks come first and wait for no silent callback.
 *
 * @param inOrder the laggards in the order in which they are tried
 * @param callbacks of their subscriptions; empty where no callback of the host is silent
 */
record LaggardsOfHost(List<Laggard> inOrder, Map<Long, String> callbacks) {

  /** Laggards that are looked at where some callbacks of the host are silent. */
  static final int LOOKED_AT = 256;

  /** Reads the laggards that are due first. Blocks. */
  static LaggardsOfHost read(Store store, HostBulkheads windows, String host, int most) {
    if (!windows.hasSilent(host)) {
      return new LaggardsOfHost(store.laggards().next(host, most), Map.of());
    }
    List<Laggard> next = store.laggards().next(host, LOOKED_AT);
    Map<Long, String> callbacks =
        store.subscriptions().byIds(next.stream().map(Laggard::subscriptionId).toList()).stream()
            .collect(Collectors.toMap(Subscription::id, Subscription::callback));
    List<Laggard> inOrder = new ArrayList<>();
    List<Laggard> silent = new ArrayList<>();
    for (Laggard laggard : next) {
      (windows.wasSilent(host, callback(callbacks, laggard)) ? silent : inOrder).add(laggard);
    }
    inOrder.addAll(silent);
    return new LaggardsOfHost(inOrder, callbacks);
  }

  /** Whether a permit may be used for a laggard. */
  boolean mayServe(Laggard laggard, HostBulkheads.Permit permit) {
    return permit.mayServe(callback(callbacks, laggard));
  }

  private static String callback(Map<Long, String> callbacks, Laggard laggard) {
    return callbacks.getOrDefault(laggard.subscriptionId(), "");
  }
}
