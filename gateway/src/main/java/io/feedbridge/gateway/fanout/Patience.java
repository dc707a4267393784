package io.feedbridge.gateway.fanout;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How long a walk waits for hosts that do not answer, or not fast enough. Whatever they do, it
 * spends on waits in vain no more than the first one and a tenth of its time (rule L3). Used by one
 * turn at a time, read by any thread.
 */
final class Patience {

  /** A host that has been silent for so long is not waited for. */
  static final Duration QUIET = Duration.ofMillis(20);

  /** One whose host answers others is waited for so many times as long. */
  static final int TIMES = 5;

  /** How long one is waited for that is not under way yet, while its host answers others. */
  static final Duration LONGEST = Duration.ofMillis(500);

  /** The part of a walk's time that it may wait in vain. */
  private static final int ONE_OF = 10;

  private final LongSupplier nanoTime;
  private final long begun;
  private final AtomicLong spent = new AtomicLong();

  /**
   * That of a walk that begins now.
   *
   * @param nanoTime such as {@link System#nanoTime}
   */
  Patience(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    begun = nanoTime.getAsLong();
  }

  /** For how many nanoseconds a host may be silent now; from 0 to {@link #QUIET}. */
  long quietNanos() {
    long most = QUIET.toNanos();
    long earned = (nanoTime.getAsLong() - begun) / ONE_OF;
    return Math.max(0, Math.min(most, most + earned - spent.get()));
  }

  /** So long it was waited for somebody who then had not answered. */
  void inVain(long nanos) {
    spent.addAndGet(Math.min(nanos, LONGEST.toNanos()));
  }
}
