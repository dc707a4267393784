package io.feedbridge.gateway.delivery.hosts;

import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.schedule.Waits;
import java.time.Duration;
import java.util.Deque;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The permits that deliveries take while they are under way. No delivery waits for a connection
 * while its timeout runs, and no host takes the permits that other hosts need:
 *
 * <ul>
 *   <li>One host has a window of permits. It begins small, grows with each answer and shrinks with
 *       each silence, so that ten thousand callbacks at a host that hangs cost a few permits.
 *   <li>All hosts that have not answered yet, or not at last, share a part of all permits ({@link
 *       Bounds#unproven}). However many of them hang, the rest is there for hosts that answer; a
 *       host that begins to answer passes from the one part into the other.
 *   <li>A host that is silent several times in a row is open: it gets one probe at a time, with
 *       growing pauses, and nothing else (the circuit breaker of {@link HostBulkhead}).
 *   <li>Catch-up has its own share of permits, of which again a part is for the unproven, and so
 *       have endpoints of webhooks. Where a permit is wanted by several hosts they take turns, and
 *       at one host rounds, catch-up and endpoints do.
 * </ul>
 *
 * Safe for use by several threads; callbacks run outside its lock.
 */
public final class HostBulkheads {

  /**
   * How many deliveries may be in flight.
   *
   * @param perHost to one host
   * @param total to all; less than the client's connections, of which fetches, verifications and
   *     upstream need some
   * @param unproven of the total, to hosts that have not answered, or not at last
   * @param catchUp of the total, by catch-up
   * @param unprovenCatchUp of the share of catch-up, to hosts that have not answered, or not at
   *     last. Endpoints of webhooks have as large a share of their own
   */
  public record Bounds(int perHost, int total, int unproven, int catchUp, int unprovenCatchUp) {

    private static final int TOTAL = 3_500;
    private static final int CATCH_UP = 1_000;

    /** Half of each share is for hosts that answer. */
    public static Bounds of(int perHost) {
      return new Bounds(perHost, TOTAL, TOTAL / 2, CATCH_UP, CATCH_UP / 2);
    }
  }

  /** Hosts that are open at once; one more is only held to a window of one. */
  static final int MAX_OPEN = 10_000;

  private static final Logger log = LoggerFactory.getLogger(HostBulkheads.class);

  private final Timer timer;
  private final RandomGenerator random;

  // All fields from here on are guarded by this.

  private final KnownHosts<HostBulkhead> windows;
  private final Occupancy occupancy;
  private final HostLines lines = new HostLines();
  private int open;

  private final Beginnings beginnings = new Beginnings();

  /** Begins without any delivery under way. */
  public HostBulkheads(Bounds bounds, Timer timer, RandomGenerator random) {
    windows =
        new KnownHosts<>(
            host -> new HostBulkhead(host, bounds.perHost), timer.clock(), this::forgotten);
    occupancy = new Occupancy(bounds);
    this.timer = timer;
    this.random = random;
  }

  /** The kind of a delivery. */
  enum Kind {
    ROUND,
    CATCH_UP,
    ENDPOINT
  }

  /** A delivery that waits for a permit at a host. */
  public interface Waiting {
    /** Begins the delivery, which has a permit now and must {@link Permit#leave} it. */
    void begin(Permit permit);
  }

  /** A place that was taken, until it is left. */
  public final class Permit {
    private final HostBulkhead window;
    private final Kind kind;
    private final boolean probe;
    private volatile Reachability contact = Reachability.NONE;

    private Permit(HostBulkhead window, Kind kind, boolean probe) {
      this.window = window;
      this.kind = kind;
      this.probe = probe;
    }

    /**
     * Records the reachability of the host as the delivery found it; called before {@link #leave}.
     */
    public void heard(Reachability what) {
      contact = what;
    }

    /** Gives the permit back, once; the next that waits for it begins. */
    public void leave() {
      @Nullable Runnable news = free(this);
      if (news != null) {
        news.run();
      }
      beginnings.run();
    }
  }

  /** Whether a host is open, so that a round leaves its subscribers to catch-up. */
  public synchronized boolean holdsBack(String host) {
    HostBulkhead window = windows.get(host);
    return window != null && window.isOpen();
  }

  /** Whether a host was silent when it was heard of last. */
  public synchronized boolean isSilent(String host) {
    HostBulkhead window = windows.get(host);
    return window != null && window.isSilent();
  }

  /** Whether a host answered when it was heard of last. */
  public synchronized boolean isAnswering(String host) {
    HostBulkhead window = windows.get(host);
    return window != null && window.isAnswering();
  }

  /** Whether a host takes no more deliveries until it has answered one. */
  public synchronized boolean isFull(String host) {
    HostBulkhead window = windows.get(host);
    return window != null && window.room() == 0;
  }

  /** Places that a host itself has free at present, for callers that want several. */
  public synchronized int room(String host) {
    HostBulkhead window = windows.get(host);
    return window == null ? 0 : window.room();
  }

  /** Takes a permit for catch-up if there is one and no round waits for it. */
  public synchronized Optional<Permit> tryEnter(String host) {
    HostBulkhead window = windows.of(host);
    if (window.waiting.isEmpty() && hasRoom(window, Kind.CATCH_UP)) {
      return Optional.of(take(window, Kind.CATCH_UP));
    }
    windows.restIfIdle(window.host, window);
    return Optional.empty();
  }

  /**
   * Begins a round's delivery at once or as soon as there is room, in the order of the calls to the
   * same host.
   */
  public void enter(String host, Waiting delivery) {
    Optional<Permit> permit = tryEnterOrWait(host, delivery);
    if (permit.isPresent()) {
      delivery.begin(permit.get());
    }
  }

  private Optional<Permit> tryEnterOrWait(String host, Waiting delivery) {
    return tryEnterOrWait(host, Kind.ROUND, delivery);
  }

  /**
   * Takes a permit for an endpoint, or lets it wait for one, behind the others at that host. At an
   * open one it may be the probe.
   *
   * @return empty if it waits
   */
  public Optional<Permit> enterEndpoint(String host, Waiting endpoint) {
    return tryEnterOrWait(host, Kind.ENDPOINT, endpoint);
  }

  private synchronized Optional<Permit> tryEnterOrWait(String host, Kind kind, Waiting delivery) {
    HostBulkhead window = windows.of(host);
    Deque<Waiting> before = window.waiting(kind);
    if (before.isEmpty() && hasRoom(window, kind)) {
      return Optional.of(take(window, kind));
    }
    before.add(delivery);
    lines.update(window);
    return Optional.empty();
  }

  /** The same for catch-up, for one at a time at each host; at an open one it is the probe. */
  public void enterNext(String host, Waiting ticket) {
    synchronized (this) {
      HostBulkhead window = windows.of(host);
      if (window.ticket != null) {
        throw new IllegalStateException("catch-up waits already for a permit at " + host);
      }
      window.ticket = ticket;
      lines.update(window);
      handOut();
    }
    beginnings.run();
  }

  /** Takes back a round's delivery, or an endpoint's, that has not begun; false if it has. */
  public synchronized boolean withdraw(String host, Waiting delivery) {
    HostBulkhead window = windows.get(host);
    if (window == null || !(window.waiting.remove(delivery) || window.endpoints.remove(delivery))) {
      return false;
    }
    lines.update(window);
    windows.restIfIdle(window.host, window);
    return true;
  }

  private void forgotten(HostBulkhead window) {
    window.cancelProbe();
    open -= window.isOpen() ? 1 : 0;
  }

  private boolean hasRoom(HostBulkhead window, Kind kind) {
    return window.hasRoom(kind) && occupancy.hasRoom(kind, window.isAnswering());
  }

  private Permit take(HostBulkhead window, Kind kind) {
    boolean probe = window.entered(kind, timer.clock().instant());
    occupancy.entered(kind, window.isAnswering());
    lines.update(window);
    return new Permit(window, kind, probe);
  }

  /**
   * Gives a permit back and hands it on; returns the logging of a change of the host, if there is
   * one.
   */
  private synchronized @Nullable Runnable free(Permit permit) {
    HostBulkhead window = permit.window;
    window.left(permit.kind, timer.clock().instant());
    occupancy.left(permit.kind, window.isAnswering());
    @Nullable Runnable news = hear(permit);
    lines.update(window);
    handOut();
    windows.restIfIdle(window.host, window);
    if (occupancy.inFlight() == 0) {
      notifyAll();
    }
    return news;
  }

  private @Nullable Runnable hear(Permit permit) {
    HostBulkhead window = permit.window;
    boolean wasAnswering = window.isAnswering();
    @Nullable Runnable news =
        switch (permit.contact) {
          case ANSWERED -> answered(window);
          case SILENT -> silent(window, permit.probe);
          case UNCLEAR -> unclear(window, permit.probe);
          case NONE -> notSent(window, permit.probe);
        };
    if (wasAnswering != window.isAnswering()) {
      occupancy.changed(window);
    }
    return news;
  }

  private @Nullable Runnable answered(HostBulkhead window) {
    boolean wasOpen = window.isOpen();
    int probes = window.probes();
    window.answered();
    if (!wasOpen) {
      return null;
    }
    open--;
    return () ->
        log.atInfo()
            .addKeyValue("host", window.host)
            .addKeyValue("probes", probes)
            .log("A host answers again and is served");
  }

  private @Nullable Runnable silent(HostBulkhead window, boolean probe) {
    if (window.isOpen()) {
      // Others may have been under way when it was opened.
      return unclear(window, probe);
    }
    if (!window.silent() || open >= MAX_OPEN) {
      return null;
    }
    open++;
    window.open();
    pause(window);
    return () ->
        log.atWarn()
            .addKeyValue("host", window.host)
            .addKeyValue("silences", HostBulkhead.SILENCES_TO_OPEN)
            .log("A host does not answer and is only probed from now on");
  }

  private @Nullable Runnable unclear(HostBulkhead window, boolean probe) {
    if (probe && window.isOpen()) {
      pause(window);
    }
    return null;
  }

  private static @Nullable Runnable notSent(HostBulkhead window, boolean probe) {
    if (probe) {
      window.probeIsDue();
    }
    return null;
  }

  private void pause(HostBulkhead window) {
    window.pause(timer, random, () -> probe(window));
  }

  private void probe(HostBulkhead window) {
    synchronized (this) {
      window.probeIsDue();
      lines.update(window);
      handOut();
    }
    beginnings.run();
  }

  private void handOut() {
    Optional<HostLines.Entrant> next = lines.next(occupancy);
    while (next.isPresent()) {
      HostLines.Entrant turn = next.get();
      Waiting waiting = turn.window().next(turn.kind());
      Permit permit = take(turn.window(), turn.kind());
      beginnings.add(() -> waiting.begin(permit));
      next = lines.next(occupancy);
    }
  }

  /** Waits at most so long until nothing is in flight. */
  public void awaitEmpty(Duration atMost) {
    Waits.until(this, () -> occupancy.inFlight() == 0, atMost);
  }

  /** Deliveries in flight to all hosts together. */
  synchronized int inFlight() {
    return occupancy.inFlight();
  }

  /** Hosts that are only probed. */
  public synchronized int open() {
    return open;
  }

  /** Hosts of which something is kept in memory. */
  synchronized int known() {
    return windows.size();
  }
}
