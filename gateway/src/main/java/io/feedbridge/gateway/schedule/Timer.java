package io.feedbridge.gateway.schedule;

import java.time.Clock;
import java.time.Instant;

/** Runs things later, by a clock that tests can turn. Safe for use by several threads. */
public interface Timer {

  /** The clock by which everything in the gateway is timed. */
  Clock clock();

  /**
   * Runs {@code task} once the clock has reached {@code when}. The task must be short and must not
   * block.
   */
  Scheduled at(Instant when, Runnable task);

  /** Something that has not run yet. */
  interface Scheduled {
    /** It will not run, unless it is running already. */
    void cancel();
  }
}
