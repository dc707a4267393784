package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Laggards;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listeners the hosts at which a commit has made laggards due. Each writer of laggard
 * rows reports its hosts here, after the commit. Thread-safe.
 */
public final class DueHosts {

  private static final Logger log = LoggerFactory.getLogger(DueHosts.class);

  private final List<Laggards.DueListener> listeners = new CopyOnWriteArrayList<>();

  void add(Laggards.DueListener listener) {
    listeners.add(listener);
  }

  /**
   * Tells that a laggard at this host may be due from {@code at} on. The listener must check
   * whether one is.
   */
  void tell(String host, Instant at) {
    for (Laggards.DueListener listener : listeners) {
      try {
        listener.due(host, at);
      } catch (RuntimeException e) {
        log.atError().addKeyValue("host", host).setCause(e).log("A listener of the store failed");
      }
    }
  }

  /** Tells the hosts of new rows, each host once. */
  void tell(Collection<Laggard> rows) {
    Map<String, Instant> first = new HashMap<>();
    for (Laggard row : rows) {
      if (row.state() != Laggard.State.IN_FLIGHT) {
        first.merge(row.host(), row.nextAttemptAt(), (a, b) -> a.isBefore(b) ? a : b);
      }
    }
    first.forEach(this::tell);
  }
}
