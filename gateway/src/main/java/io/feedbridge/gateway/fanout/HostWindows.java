package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.schedule.Waits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what is in flight, to one host and to all together, so that neither a slow host nor one
 * with ten thousand callbacks takes what the others need, and so that nothing waits for a
 * connection while its timeout runs. Safe for use by several threads; callbacks run outside its
 * lock.
 */
final class HostWindows {

  /** Deliveries in flight at once; below the client's bound, which fetches share. */
  static final int MAX_IN_FLIGHT = 3_500;

  private final int perHost;
  private final int total;
  private final Runnable onRoom;
  private final Map<String, Window> windows = new HashMap<>();

  /** Windows with room in which somebody waits because there is none in all; guarded by this. */
  private final Set<Window> ready = new LinkedHashSet<>();

  private int inFlight;

  /** Those that have a place and have not begun; guarded by this. */
  private final Deque<Waiting> beginning = new ArrayDeque<>();

  /** Whether a thread is beginning them; guarded by this. */
  private boolean busy;

  /**
   * Windows that are all empty.
   *
   * @param perHost deliveries to one host at once
   * @param onRoom is run when there is room for whom there was none; it must return at once
   */
  HostWindows(int perHost, Runnable onRoom) {
    this(perHost, MAX_IN_FLIGHT, onRoom);
  }

  HostWindows(int perHost, int total, Runnable onRoom) {
    this.perHost = perHost;
    this.total = total;
    this.onRoom = onRoom;
  }

  /** A delivery that waits for room at its host. */
  interface Waiting {
    /** It has a place now, which whoever begins must {@link #leave}. */
    void begin();
  }

  private static final class Window {
    int inFlight;
    final Deque<Waiting> waiting = new ArrayDeque<>();
  }

  /** Takes a place if there is one and nobody waits for it. */
  synchronized boolean tryEnter(String host) {
    Window window = windows.get(host);
    if (inFlight >= total
        || (window != null && (window.inFlight >= perHost || !window.waiting.isEmpty()))) {
      return false;
    }
    windows.computeIfAbsent(host, any -> new Window()).inFlight++;
    inFlight++;
    return true;
  }

  /** Begins at once or as soon as there is room, in the order of the calls to the same host. */
  void enter(String host, Waiting delivery) {
    if (tryEnterOrWait(host, delivery)) {
      delivery.begin();
    }
  }

  private synchronized boolean tryEnterOrWait(String host, Waiting delivery) {
    if (tryEnter(host)) {
      return true;
    }
    Window window = windows.computeIfAbsent(host, any -> new Window());
    window.waiting.add(delivery);
    if (window.inFlight < perHost) {
      ready.add(window);
    }
    return false;
  }

  /** Gives a place back; the next that waits for it begins. */
  void leave(String host) {
    if (free(host)) {
      onRoom.run();
    }
    beginAll();
  }

  /**
   * Gives back a place that was taken and not used. That is no news to whoever took it: told of
   * room, it would only try the same again.
   */
  void giveBack(String host) {
    var unused = free(host);
    beginAll();
  }

  /** Whether there is room now where there was none. */
  private synchronized boolean free(String host) {
    Window window = windows.computeIfAbsent(host, any -> new Window());
    boolean wasFull = window.inFlight >= perHost || inFlight >= total;
    window.inFlight--;
    inFlight--;
    if (!window.waiting.isEmpty()) {
      ready.add(window);
    }
    boolean taken = false;
    while (inFlight < total && !ready.isEmpty()) {
      Window next = ready.iterator().next();
      ready.remove(next);
      beginning.add(next.waiting.remove());
      next.inFlight++;
      inFlight++;
      taken = true;
      if (next.inFlight < perHost && !next.waiting.isEmpty()) {
        ready.add(next);
      }
    }
    forgetIfUnused(host, window);
    return wasFull && !taken;
  }

  private void forgetIfUnused(String host, Window window) {
    if (window.inFlight == 0 && window.waiting.isEmpty()) {
      windows.remove(host);
      notifyAll();
    }
  }

  /**
   * Begins whoever was given a place, one after the other: one that is answered while it begins
   * leaves at once, and the next must not begin on top of its stack.
   */
  private void beginAll() {
    RuntimeException failure = null;
    for (Waiting next = nextToBegin(false); next != null; next = nextToBegin(true)) {
      try {
        next.begin();
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * The next of {@link #beginning}.
   *
   * @param mine whether this thread is the one that begins them; there is only one at a time
   */
  private synchronized @Nullable Waiting nextToBegin(boolean mine) {
    if (busy && !mine) {
      return null;
    }
    Waiting next = beginning.poll();
    busy = next != null;
    return next;
  }

  /** Takes back a delivery that has not begun; false if it has. */
  synchronized boolean withdraw(String host, Waiting delivery) {
    Window window = windows.get(host);
    if (window == null || !window.waiting.remove(delivery)) {
      return false;
    }
    if (window.waiting.isEmpty()) {
      ready.remove(window);
      forgetIfUnused(host, window);
    }
    return true;
  }

  /** Hosts without room. */
  synchronized Set<String> full() {
    Set<String> full = new HashSet<>();
    windows.forEach(
        (host, window) -> {
          if (window.inFlight >= perHost) {
            full.add(host);
          }
        });
    return full;
  }

  /** Waits at most so long until nothing is in flight. */
  void awaitEmpty(Duration atMost) {
    Waits.until(this, windows::isEmpty, atMost);
  }

  /** Deliveries in flight to all hosts together. */
  synchronized int inFlight() {
    return inFlight;
  }
}
