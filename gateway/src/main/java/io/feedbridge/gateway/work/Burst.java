package io.feedbridge.gateway.work;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * Work that is being added. Its senders wait for their answers, and the work takes far longer than
 * its acceptance: it begins when no more of it waits for a commit, or when that goes on for long.
 * Thread-safe.
 */
public final class Burst {

  /** The time after which work begins although more of it is being added. */
  static final Duration LONGEST = Duration.ofMillis(200);

  private final LongSupplier nanos;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private int adding;
  private long began;
  private boolean untold;

  /**
   * No work is being added.
   *
   * @param nanos a clock that nothing sets, in nanoseconds
   */
  public Burst(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Calls the listener when work that was added is to begin. */
  public void on(Runnable listener) {
    listeners.add(listener);
  }

  /** An item waits for its commit. */
  public synchronized void adding() {
    if (adding == 0) {
      began = nanos.getAsLong();
    }
    adding++;
  }

  /** Work was committed. */
  public void committed() {
    tellIf(true, 0);
  }

  /** The sender of an item is told of its commit, or of its failure. */
  public void added() {
    tellIf(false, 1);
  }

  private void tellIf(boolean committed, int added) {
    synchronized (this) {
      untold |= committed;
      adding -= added;
      if (!untold || (adding > 0 && nanos.getAsLong() - began < LONGEST.toNanos())) {
        return;
      }
      untold = false;
    }
    listeners.forEach(Runnable::run);
  }
}
