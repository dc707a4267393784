package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Laggards;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells at which hosts a commit has made laggards due. Whatever writes their rows tells it here,
 * after the commit. Thread-safe.
 */
final class DueHosts {

  private static final Logger log = LoggerFactory.getLogger(DueHosts.class);

  private final List<Laggards.DueListener> listeners = new CopyOnWriteArrayList<>();

  void add(Laggards.DueListener listener) {
    listeners.add(listener);
  }

  /** Somebody at this host may be tried from then on, or perhaps not: it is worth a look. */
  void tell(String host, Instant at) {
    for (Laggards.DueListener listener : listeners) {
      try {
        listener.due(host, at);
      } catch (RuntimeException e) {
        log.atError().addKeyValue("host", host).setCause(e).log("A listener of the store failed");
      }
    }
  }

  /** The same of new rows, each host once. */
  void tell(Collection<Laggard> rows) {
    Map<String, Instant> first = new HashMap<>();
    for (Laggard row : rows) {
      if (!row.inFlight()) {
        first.merge(row.host(), row.nextAttemptAt(), (a, b) -> a.isBefore(b) ? a : b);
      }
    }
    first.forEach(this::tell);
  }
}
