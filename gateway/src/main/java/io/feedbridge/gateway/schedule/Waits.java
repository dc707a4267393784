package io.feedbridge.gateway.schedule;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waiting for a condition that is guarded by a monitor, on the way to a stop. */
public final class Waits {

  private Waits() {}

  /**
   * Waits until the condition holds or the time is over. An interrupt is kept for the caller and
   * does not shorten the wait: a stop that was begun is carried through.
   *
   * @param monitor is notified whenever the condition may have changed
   * @return whether the condition holds
   */
  public static boolean until(Object monitor, BooleanSupplier condition, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    boolean interrupted = false;
    boolean holds;
    synchronized (monitor) {
      holds = condition.getAsBoolean();
      long left = deadline - System.nanoTime();
      while (!holds && left > 0) {
        try {
          // Never 0, which would be without end.
          monitor.wait(left / 1_000_000 + 1);
        } catch (InterruptedException e) {
          interrupted = true;
        }
        holds = condition.getAsBoolean();
        left = deadline - System.nanoTime();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return holds;
  }
}
