package io.feedbridge.gateway.delivery.rounds;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The condition for which a pass waits without a thread, and the end of the wait. */
final class Parked {

  private final BooleanSupplier come;
  private final LongSupplier end;

  /**
   * A pass's wait.
   *
   * @param come whether the awaited condition holds
   * @param end until when it waits, by {@link System#nanoTime}; may be put off meanwhile
   */
  Parked(BooleanSupplier come, LongSupplier end) {
    this.come = come;
    this.end = end;
  }

  /** Whether the awaited condition holds. */
  boolean hasCome() {
    return come.getAsBoolean();
  }

  /** Whether the pass is to go on, because the condition holds or the time is over. */
  boolean isOver() {
    return hasCome() || nanosLeft() <= 0;
  }

  long nanosLeft() {
    return end.getAsLong() - System.nanoTime();
  }
}
