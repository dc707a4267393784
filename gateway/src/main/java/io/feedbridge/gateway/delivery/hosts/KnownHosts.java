package io.feedbridge.gateway.delivery.hosts;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of which something is known: hosts in use, and for a while idle ones. Guarded by {@link
 * HostBulkheads}.
 */
final class KnownHosts<H extends KnownHosts.Known> {

  /** The state of one host. */
  interface Known {
    /** Whether nothing is known of the host, so that it need not be remembered. */
    boolean isUnknown();

    /** Whether no delivery to the host is under way or waits. */
    boolean isIdle();

    /** When a delivery to it last began or ended. */
    Instant usedAt();
  }

  /** Hosts that are remembered though there is nothing to do for them. */
  static final int MAX_REMEMBERED = 10_000;

  /** How long idle hosts are remembered. */
  static final Duration REMEMBERED_FOR = Duration.ofMinutes(10);

  private final Function<String, H> unknown;
  private final Clock clock;
  private final Consumer<H> onForgotten;
  private final Map<String, H> hosts = new HashMap<>();

  /** Hosts of {@link #hosts} that have nothing to do, the longest idle first. */
  private final Map<String, H> idle = new LinkedHashMap<>();

  /**
   * Knows no host.
   *
   * @param unknown makes the state of a host of which nothing is known
   * @param onForgotten takes each host that is remembered no longer
   */
  KnownHosts(Function<String, H> unknown, Clock clock, Consumer<H> onForgotten) {
    this.unknown = unknown;
    this.clock = clock;
    this.onForgotten = onForgotten;
  }

  /** A host as it is known; null if nothing is. */
  @Nullable H get(String host) {
    return hosts.get(host);
  }

  /** A host that is to be used now. */
  H of(String host) {
    idle.remove(host);
    return hosts.computeIfAbsent(host, unknown);
  }

  Collection<H> all() {
    return hosts.values();
  }

  /** A host for which there is nothing to do is kept in mind for a while. */
  void restIfIdle(String host, H window) {
    if (!window.isIdle()) {
      return;
    }
    if (window.isUnknown()) {
      hosts.remove(host);
      return;
    }
    idle.remove(host);
    idle.put(host, window);
    Instant oldest = clock.instant().minus(REMEMBERED_FOR);
    Iterator<Map.Entry<String, H>> longest = idle.entrySet().iterator();
    while (longest.hasNext()) {
      Map.Entry<String, H> next = longest.next();
      if (idle.size() <= MAX_REMEMBERED && !next.getValue().usedAt().isBefore(oldest)) {
        return;
      }
      longest.remove();
      hosts.remove(next.getKey());
      onForgotten.accept(next.getValue());
    }
  }
}
