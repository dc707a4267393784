package io.feedbridge.gateway.schedule;

import java.time.Duration;

/**
 * The stop of a part that waits for work under way: whether it has begun, and how much of its time
 * is left. Parts that are told to stop before one of them is waited for wait at the same time.
 * Thread-safe.
 */
public final class Stopping {

  private final Duration most;
  private boolean begun;
  private long begunAt;

  /**
   * A stop that has not begun.
   *
   * @param most for how long the part waits, from the beginning on
   */
  public Stopping(Duration most) {
    this.most = most;
  }

  /** Begins the stop; repeating it does nothing. */
  public synchronized void begin() {
    if (!begun) {
      begun = true;
      begunAt = System.nanoTime();
    }
  }

  /** Whether it has begun. */
  public synchronized boolean hasBegun() {
    return begun;
  }

  /** The time that is left of a stop that has begun; not positive when it is over. */
  public synchronized Duration left() {
    return most.minusNanos(System.nanoTime() - begunAt);
  }
}
