package io.feedbridge.gateway.ingest.throttle;

import io.feedbridge.gateway.work.Via;
import java.util.Set;

/**
 * The pings that asked for a fetch.
 *
 * @param ways the ways by which pings of the feed came; empty if only the poll timer asked
 * @param callers the addresses of publishers and strangers that sent one, as far as they are known
 */
public record Pings(Set<Via> ways, Set<String> callers) {

  /** A fetch that the poll timer alone asked for. */
  public static final Pings NONE = new Pings(Set.of(), Set.of());

  public Pings {
    ways = Set.copyOf(ways);
    callers = Set.copyOf(callers);
  }
}
