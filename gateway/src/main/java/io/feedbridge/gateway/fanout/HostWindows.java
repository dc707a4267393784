package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.schedule.Waits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what is in flight to one host, so that neither a slow host nor one with ten thousand
 * callbacks takes what the others need. Safe for use by several threads; callbacks run outside its
 * lock.
 */
final class HostWindows {

  private final int perHost;
  private final Runnable onRoom;
  private final Map<String, Window> windows = new HashMap<>();
  private int inFlight;

  /** Those that have a place and have not begun; guarded by this. */
  private final Deque<Waiting> beginning = new ArrayDeque<>();

  /** Whether a thread is beginning them; guarded by this. */
  private boolean busy;

  /**
   * Windows that are all empty.
   *
   * @param perHost deliveries to one host at once
   * @param onRoom is run when a host that was full is not any more; it must return at once
   */
  HostWindows(int perHost, Runnable onRoom) {
    this.perHost = perHost;
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
    Window window = windows.computeIfAbsent(host, any -> new Window());
    if (window.inFlight >= perHost || !window.waiting.isEmpty()) {
      return false;
    }
    window.inFlight++;
    inFlight++;
    return true;
  }

  /** Begins at once or as soon as there is room, in the order of the calls. */
  void enter(String host, Waiting delivery) {
    if (!tryEnterOrWait(host, delivery)) {
      return;
    }
    delivery.begin();
  }

  private synchronized boolean tryEnterOrWait(String host, Waiting delivery) {
    if (tryEnter(host)) {
      return true;
    }
    windows.computeIfAbsent(host, any -> new Window()).waiting.add(delivery);
    return false;
  }

  /** Gives a place back; the next that waits for it begins. */
  void leave(String host) {
    boolean room;
    synchronized (this) {
      Window window = windows.computeIfAbsent(host, any -> new Window());
      Waiting next = window.waiting.poll();
      room = next == null && window.inFlight >= perHost;
      if (next != null) {
        beginning.add(next);
      } else {
        window.inFlight--;
        inFlight--;
        if (window.inFlight == 0) {
          windows.remove(host);
          notifyAll();
        }
      }
    }
    if (room) {
      onRoom.run();
    }
    beginAll();
  }

  /**
   * Begins whoever was given a place, one after the other: one that is answered while it begins
   * leaves at once, and the next must not begin on top of its stack.
   */
  private void beginAll() {
    Waiting next = nextToBegin(false);
    while (next != null) {
      try {
        next.begin();
      } finally {
        next = nextToBegin(true);
      }
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
    return window != null && window.waiting.remove(delivery);
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
