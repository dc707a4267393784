package io.feedbridge.gateway.fanout;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** What a walk waits for without a thread, and for how long. */
final class Rest {

  private final BooleanSupplier come;
  private final LongSupplier end;

  /**
   * A rest.
   *
   * @param come whether what it waits for has come
   * @param end until when it waits, by {@link System#nanoTime}; may be put off meanwhile
   */
  Rest(BooleanSupplier come, LongSupplier end) {
    this.come = come;
    this.end = end;
  }

  /** Whether what it waited for has come. */
  boolean hasCome() {
    return come.getAsBoolean();
  }

  /** Whether it is to go on, for the one reason or the other. */
  boolean isOver() {
    return hasCome() || nanosLeft() <= 0;
  }

  long nanosLeft() {
    return end.getAsLong() - System.nanoTime();
  }
}
