package io.feedbridge.gateway.delivery.hosts;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of which something is known: hosts in use, and for a while idle ones. Guarded by
 * {@link HostBulkheads}.
 */
final class KnownHosts {

  /** Hosts that are remembered though there is nothing to do for them. */
  static final int MAX_REMEMBERED = 10_000;

  /** How long idle hosts are remembered. */
  static final Duration REMEMBERED_FOR = Duration.ofMinutes(10);

  private final int perHost;
  private final Clock clock;
  private final Consumer<HostBulkhead> onForgotten;
  private final Map<String, HostBulkhead> hosts = new HashMap<>();

  /** Hosts of {@link #hosts} that have nothing to do, the longest idle first. */
  private final Map<String, HostBulkhead> idle = new LinkedHashMap<>();

  /**
   * Knows no host.
   *
   * @param perHost deliveries to one host at once
   * @param onForgotten takes each host that is remembered no longer
   */
  KnownHosts(int perHost, Clock clock, Consumer<HostBulkhead> onForgotten) {
    this.perHost = perHost;
    this.clock = clock;
    this.onForgotten = onForgotten;
  }

  /** A host as it is known; null if nothing is. */
  @Nullable HostBulkhead get(String host) {
    return hosts.get(host);
  }

  /** A host that is to be used now. */
  HostBulkhead of(String host) {
    idle.remove(host);
    return hosts.computeIfAbsent(host, name -> new HostBulkhead(name, perHost));
  }

  int size() {
    return hosts.size();
  }

  /** A host for which there is nothing to do is kept in mind for a while. */
  void restIfIdle(HostBulkhead window) {
    if (!window.isIdle()) {
      return;
    }
    if (window.state() == HostBulkhead.State.UNKNOWN) {
      hosts.remove(window.host);
      return;
    }
    idle.remove(window.host);
    idle.put(window.host, window);
    Instant oldest = clock.instant().minus(REMEMBERED_FOR);
    Iterator<HostBulkhead> longest = idle.values().iterator();
    while (longest.hasNext()) {
      HostBulkhead next = longest.next();
      if (idle.size() <= MAX_REMEMBERED && !next.usedAt().isBefore(oldest)) {
        return;
      }
      longest.remove();
      hosts.remove(next.host);
      onForgotten.accept(next);
    }
  }
}
