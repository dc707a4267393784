package io.feedbridge.gateway.delivery.hosts;

import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.schedule.Waits;
import java.time.Duration;
import java.time.Instant;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The permits that deliveries take while they are under way. No delivery waits for a connection
 * while its timeout runs, and no host takes the permits that other hosts need:
 *
 * <ul>
 *   <li>One host has a window of permits. It begins small, grows with each answer and shrinks with
 *       each silence, so that ten thousand callbacks at a host that hangs cost a few permits.
 *   <li>All hosts that have not answered yet, or not at last, share a part of all permits ({@link
 *       DeliveryBounds#unproven}). However many of them hang, the rest is there for hosts that
 *       answer; a host that begins to answer passes from the one part into the other.
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

  /** Hosts that are open at once; one more is only held to a window of one. */
  static final int MAX_OPEN = 10_000;

  private final Timer timer;
  private final RandomGenerator random;

  // All fields from here on are guarded by this.

  private final KnownHosts<HostBulkhead> windows;
  private final Occupancy occupancy;
  private final HostLines lines = new HostLines();
  private int open;

  private final Beginnings beginnings = new Beginnings();

  /** Begins without any delivery under way. */
  public HostBulkheads(DeliveryBounds bounds, Timer timer, RandomGenerator random) {
    windows =
        new KnownHosts<>(
            host -> new HostBulkhead(host, bounds.perHost()), timer.clock(), this::forgotten);
    occupancy = new Occupancy(bounds);
    this.timer = timer;
    this.random = random;
  }

  /** A delivery that waits for a permit at a host. */
  public interface Waiting {
    /** Begins the delivery, which has a permit now and must {@link Permit#leave} it. */
    void begin(Permit permit);
  }

  /** A place that was taken, until it is left. */
  public final class Permit {
    private final HostBulkhead window;
    private final DeliveryKind kind;
    private final boolean probe;
    private final long answersBefore;
    private final Instant taken = timer.clock().instant();

    /** Whether it counts in the part of callbacks that are silent; guarded by the bulkheads. */
    private boolean silent;

    private volatile Reachability contact = Reachability.NONE;
    private volatile String callback = "";

    private Permit(HostBulkhead window, DeliveryKind kind, boolean probe) {
      this.window = window;
      this.kind = kind;
      this.probe = probe;
      answersBefore = window.silentCallbacks.answers();
    }

    /**
     * Records the reachability of a callback at the host as the delivery found it; called before
     * {@link #leave}.
     */
    public void heard(Reachability what, String calledBack) {
      callback = calledBack;
      contact = what;
    }

    /**
     * Whether the permit may be used for this callback: callbacks that are silent while their host
     * answers have a part of its places.
     */
    public boolean mayServe(String asked) {
      return isAllowed(this, asked);
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
    return is(host, HostBulkhead::isOpen);
  }

  /**
   * Whether a callback may be tried though its host is open: callbacks that answer must not wait
   * for a pause that others caused. One such trial is due in each pause.
   */
  public synchronized boolean mayTry(String host, String callback) {
    return is(host, HostBulkhead::isTrialDue) && !wasSilent(host, callback);
  }

  /** Whether a trial is due at an open host, see {@link #mayTry}. */
  public synchronized boolean isTrialDue(String host) {
    return is(host, HostBulkhead::isTrialDue);
  }

  /** Whether a callback is silent while its host answers, so that a round leaves it to catch-up. */
  public synchronized boolean isSilentByItself(String host, String callback) {
    return is(host, window -> window.silentCallbacks.isByItself(callback));
  }

  /** Whether callbacks at a host are known to have left their last request unanswered. */
  public synchronized boolean hasSilent(String host) {
    return is(host, window -> !window.silentCallbacks.isEmpty());
  }

  /** Whether a callback left its last request unanswered. */
  public synchronized boolean wasSilent(String host, String callback) {
    return is(host, window -> window.silentCallbacks.contains(callback));
  }

  private synchronized boolean isAllowed(Permit permit, String callback) {
    HostBulkhead window = permit.window;
    if (permit.silent || permit.probe || !window.silentCallbacks.isByItself(callback)) {
      return true;
    }
    permit.silent = window.hasPartForSilent();
    window.silentCallbacks.count(permit.silent ? 1 : 0);
    return permit.silent;
  }

  /** Whether a host was silent when it was heard of last. */
  public synchronized boolean isSilent(String host) {
    return is(host, HostBulkhead::isSilent);
  }

  /** Whether a host answered when it was heard of last. */
  public synchronized boolean isAnswering(String host) {
    return is(host, HostBulkhead::isAnswering);
  }

  /** Whether a host takes no more deliveries until it has answered one. */
  public synchronized boolean isFull(String host) {
    return is(host, window -> window.room() == 0);
  }

  private boolean is(String host, Predicate<HostBulkhead> what) {
    HostBulkhead window = windows.get(host);
    return window != null && what.test(window);
  }

  /** Places that a host itself has free at present, for callers that want several. */
  public synchronized int room(String host) {
    HostBulkhead window = windows.get(host);
    return window == null ? 0 : window.room();
  }

  /** Takes a permit for catch-up if there is one and no round waits for it. */
  public synchronized Optional<Permit> tryEnter(String host) {
    HostBulkhead window = windows.of(host);
    if (window.waiting.isEmpty() && hasRoom(window, DeliveryKind.CATCH_UP)) {
      return Optional.of(take(window, DeliveryKind.CATCH_UP, false));
    }
    windows.restIfIdle(window.host, window);
    return Optional.empty();
  }

  /**
   * Begins a round's delivery at once or as soon as there is room, in the order of the calls to the
   * same host.
   */
  public void enter(String host, Waiting delivery) {
    tryEnterOrWait(host, DeliveryKind.ROUND, "", delivery).ifPresent(delivery::begin);
  }

  /**
   * Takes a permit for an endpoint, or lets it wait for one, behind the others at that host. At an
   * open one it may be the probe.
   *
   * @param url of the endpoint, which has the part of the silent if it was silent at last
   * @return empty if it waits
   */
  public Optional<Permit> enterEndpoint(String host, String url, Waiting endpoint) {
    return tryEnterOrWait(host, DeliveryKind.ENDPOINT, url, endpoint);
  }

  private synchronized Optional<Permit> tryEnterOrWait(
      String host, DeliveryKind kind, String callback, Waiting delivery) {
    HostBulkhead window = windows.of(host);
    boolean silent = kind == DeliveryKind.ENDPOINT && window.silentCallbacks.contains(callback);
    Deque<Waiting> before = silent ? window.silentEndpoints : window.waiting(kind);
    boolean room = silent ? window.hasRoomForSilent() : window.hasRoom(kind);
    if (before.isEmpty() && room && occupancy.hasRoom(kind, window.isAnswering())) {
      return Optional.of(take(window, kind, silent));
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
    if (window == null || !window.withdraw(delivery)) {
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

  private boolean hasRoom(HostBulkhead window, DeliveryKind kind) {
    return window.hasRoom(kind) && occupancy.hasRoom(kind, window.isAnswering());
  }

  private Permit take(HostBulkhead window, DeliveryKind kind, boolean silent) {
    Permit permit = new Permit(window, kind, window.entered(kind, timer.clock().instant()));
    permit.silent = silent;
    window.silentCallbacks.count(silent ? 1 : 0);
    occupancy.entered(kind, window.isAnswering());
    lines.update(window);
    return permit;
  }

  /**
   * Gives a permit back and hands it on; returns the logging of a change of the host, if there is
   * one.
   */
  private synchronized @Nullable Runnable free(Permit permit) {
    HostBulkhead window = permit.window;
    window.left(permit.kind, timer.clock().instant());
    window.silentCallbacks.count(permit.silent ? -1 : 0);
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
          case ANSWERED -> answered(window, permit);
          case SILENT -> silent(permit);
          case UNCLEAR -> unclear(window, permit.probe);
          case NONE -> notSent(window, permit.probe);
        };
    if (wasAnswering != window.isAnswering()) {
      occupancy.changed(window);
    }
    return news;
  }

  private @Nullable Runnable answered(HostBulkhead window, Permit permit) {
    Instant now = timer.clock().instant();
    window.silentCallbacks.answered(permit.callback, now);
    boolean wasOpen = window.isOpen();
    int probes = window.probes();
    window.answered(Duration.between(permit.taken, now));
    if (!wasOpen) {
      return null;
    }
    open--;
    return () -> window.logAnswering(probes);
  }

  private @Nullable Runnable silent(Permit permit) {
    HostBulkhead window = permit.window;
    boolean own =
        window.silentCallbacks.silent(
            permit.callback, permit.answersBefore, timer.clock().instant());
    if (window.isOpen()) {
      // Others may have been under way when it was opened.
      return unclear(window, permit.probe);
    }
    if (own) {
      return null;
    }
    if (!window.silent() || open >= MAX_OPEN) {
      return null;
    }
    open++;
    window.open();
    pause(window);
    return window::logOpen;
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
      boolean silent = turn.window().isSilentNext(turn.kind());
      Waiting waiting = turn.window().next(turn.kind());
      Permit permit = take(turn.window(), turn.kind(), silent);
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

  /** The hosts of which something is known, in no order. */
  public synchronized List<CalledHost> standings() {
    return windows.all().stream().map(HostBulkhead::standing).toList();
  }
}
