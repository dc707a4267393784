package io.feedbridge.gateway.delivery.rounds;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How long a pass waits for hosts that do not answer, or not fast enough. However hosts behave, it
 * spends on waits in vain no more than the first one and a tenth of its time (rule L3). Used by one
 * thread at a time, read by any thread.
 */
final class WaitBudget {

  /** A host that has been silent for so long is not waited for. */
  static final Duration QUIET = Duration.ofMillis(20);

  /** A delivery whose host answers others is waited for so many times as long. */
  static final int TIMES = 5;

  /** How long a delivery is waited for that is not under way yet, while its host answers others. */
  static final Duration LONGEST = Duration.ofMillis(500);

  /** The part of a pass's time that it may wait in vain. */
  private static final int ONE_OF = 10;

  private final LongSupplier nanoTime;
  private final long begun;
  private final AtomicLong spent = new AtomicLong();

  /**
   * The budget of a pass that begins now.
   *
   * @param nanoTime such as {@link System#nanoTime}
   */
  WaitBudget(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    begun = nanoTime.getAsLong();
  }

  /** For how many nanoseconds a host may be silent now; from 0 to {@link #QUIET}. */
  long quietNanos() {
    long most = QUIET.toNanos();
    long earned = (nanoTime.getAsLong() - begun) / ONE_OF;
    return Math.max(0, Math.min(most, most + earned - spent.get()));
  }

  /** Records a wait that ended without the answer it was for. */
  void inVain(long nanos) {
    spent.addAndGet(Math.min(nanos, LONGEST.toNanos()));
  }
}
