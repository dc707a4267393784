package io.feedbridge.gateway.delivery.laggards;

import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.store.deliveries.Laggards;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The hosts with laggards, and whose turn it is. Of a million laggards it holds nothing but the
 * names of their hosts. The laggards of a host are read when the host's turn has come: a look costs
 * in proportion to the laggards that it serves, and laggards of hosts without room cost nothing.
 *
 * <p>A host is ready, or its first laggard is due later, or it waits for a permit, or it is being
 * looked at. Hosts are found by looking through the store once, page by page, and after that by the
 * store's reports; if there are more than {@link #MAX_HOSTS}, the hosts that are due first are
 */
final class Backlog {

  /** Hosts kept in memory. */
  static final int MAX_HOSTS = 100_000;

  /** Hosts read from the store at once. */
  static final int PAGE = 1_000;

  /** How often the store is looked through while it has more hosts than are kept. */
  static final Duration LOOK_AGAIN_AFTER = Duration.ofSeconds(30);

  private static final Instant NEVER = Instant.MAX;

  private final Clock clock;
  private final int most;

  // All fields from here on are guarded by this.

  private final Map<String, Entry> entries = new HashMap<>();
  private final Deque<Entry> ready = new ArrayDeque<>();
  private final TreeSet<Entry> later =
      new TreeSet<>(
          Comparator.<Entry, Instant>comparing(entry -> entry.at)
              .thenComparing(entry -> entry.host));

  /** Where to go on looking through the store. */
  private @Nullable String lookedUpTo = "";

  /** When to look through the store anew, because a host found no room here. */
  private @Nullable Instant lookAgainAt;

  private boolean closed;

  Backlog(Clock clock) {
    this(clock, MAX_HOSTS);
  }

  Backlog(Clock clock, int most) {
    this.clock = clock;
    this.most = most;
  }

  private enum State {
    READY,
    LATER,
    WAITING,
    LOOKED_AT
  }

  private static final class Entry {
    final String host;
    State state = State.LOOKED_AT;

    /**
     * In state LATER: when the host is due. In state LOOKED_AT: the earliest time reported
     * meanwhile.
     */
    Instant at = NEVER;

    HostBulkheads.@Nullable Permit permit;

    Entry(String host) {
      this.host = host;
    }
  }

  /**
   * A host whose turn it is.
   *
   * @param permit the permit that the host has been given already
   */
  record DueHost(String host, Optional<HostBulkheads.Permit> permit) {}

  /** A laggard at this host may be tried from then on. */
  synchronized void due(String host, Instant at) {
    Entry entry = entries.get(host);
    if (entry == null) {
      if (!hasRoomFor(at)) {
        return;
      }
      entry = new Entry(host);
      entries.put(host, entry);
      put(entry, at);
      return;
    }
    boolean sooner = at.isBefore(entry.at);
    switch (entry.state) {
      case LATER -> {
        if (sooner) {
          later.remove(entry);
          put(entry, at);
        }
      }
      case LOOKED_AT -> entry.at = sooner ? at : entry.at;
      case READY, WAITING -> {
        // It will be looked at.
      }
    }
  }

  private void put(Entry entry, Instant at) {
    if (at.isAfter(clock.instant())) {
      entry.state = State.LATER;
      entry.at = at;
      later.add(entry);
    } else {
      entry.state = State.READY;
      entry.at = NEVER;
      ready.add(entry);
    }
  }

  /** Whether one more host may be kept; the host that is due last makes room if it is due later. */
  private boolean hasRoomFor(Instant at) {
    if (entries.size() < most) {
      return true;
    }
    if (lookAgainAt == null) {
      lookAgainAt = clock.instant().plus(LOOK_AGAIN_AFTER);
    }
    if (later.isEmpty() || !at.isBefore(later.last().at)) {
      return false;
    }
    entries.remove(later.pollLast().host);
    return true;
  }

  /** The next host in turn, which is being looked at from now on. */
  synchronized Optional<DueHost> next() {
    wakeDue();
    Entry entry = ready.poll();
    if (entry == null) {
      return Optional.empty();
    }
    DueHost turn = new DueHost(entry.host, Optional.ofNullable(entry.permit));
    entry.state = State.LOOKED_AT;
    entry.permit = null;
    entry.at = NEVER;
    return Optional.of(turn);
  }

  private void wakeDue() {
    Instant now = clock.instant();
    while (!later.isEmpty() && !later.first().at.isAfter(now)) {
      put(later.pollFirst(), now);
    }
  }

  /** A host was looked at, and may have more that is due: it stands in line again. */
  synchronized void again(String host) {
    put(entry(host), clock.instant());
  }

  /**
   * A host was looked at.
   *
   * @param next when its next laggard is due; empty if it has none
   */
  synchronized void lookedAt(String host, Optional<Instant> next) {
    Entry entry = entry(host);
    Instant at = next.filter(entry.at::isAfter).orElse(entry.at);
    if (at.equals(NEVER)) {
      entries.remove(host);
    } else {
      put(entry, at);
    }
  }

  /** A host that was to be looked at has no permit; {@link #granted} reports when it has one. */
  synchronized void waits(String host) {
    Entry entry = entry(host);
    entry.state = State.WAITING;
    entry.at = NEVER;
  }

  /**
   * A host that waited has a permit now: it is its turn soon.
   *
   * @return false if this is closed: no host has a turn any more, and the caller must leave the
   *     place
   */
  synchronized boolean granted(String host, HostBulkheads.Permit permit) {
    if (closed) {
      return false;
    }
    Entry entry = entry(host);
    entry.permit = permit;
    put(entry, clock.instant());
    return true;
  }

  /** Ends all turns; returns the permits of the hosts whose turn had not come. */
  synchronized List<HostBulkheads.Permit> close() {
    closed = true;
    List<HostBulkheads.Permit> permits =
        ready.stream().flatMap(entry -> Optional.ofNullable(entry.permit).stream()).toList();
    ready.clear();
    later.clear();
    return permits;
  }

  /** A host that is looked at or waits; such a host is never put out to make room for another. */
  private Entry entry(String host) {
    return Objects.requireNonNull(entries.get(host), host);
  }

  /** The name behind which to look for hosts in the store; empty if that is done. */
  synchronized Optional<String> toLookThrough() {
    Instant now = clock.instant();
    if (lookedUpTo == null && lookAgainAt != null && !now.isBefore(lookAgainAt)) {
      lookAgainAt = null;
      lookedUpTo = "";
    }
    return Optional.ofNullable(lookedUpTo);
  }

  /** Takes a page of hosts that was read from the store. */
  synchronized void found(List<Laggards.Host> page) {
    page.forEach(host -> due(host.name(), host.nextDueAt()));
    lookedUpTo = page.size() < PAGE ? null : page.get(page.size() - 1).name();
  }

  /** When to look again unless a host is reported before; the present if there is work already. */
  synchronized Optional<Instant> nextAt() {
    if (lookedUpTo != null || !ready.isEmpty()) {
      return Optional.of(clock.instant());
    }
    Optional<Instant> next = later.isEmpty() ? Optional.empty() : Optional.of(later.first().at);
    return lookAgainAt != null && next.filter(lookAgainAt::isAfter).isEmpty()
        ? Optional.of(lookAgainAt)
        : next;
  }

  /** Hosts that are kept. */
  synchronized int size() {
    return entries.size();
  }
}
