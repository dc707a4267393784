package io.feedbridge.gateway.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Growing pauses, for as long as somebody waits. For one thread. */
final class Pauses {

  private static final Duration FIRST = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private final CountDownLatch never = new CountDownLatch(1);
  private final long end;
  private Duration next = FIRST;

  /** From now on, for so long. */
  Pauses(Duration all) {
    end = System.nanoTime() + all.toNanos();
  }

  /**
   * Waits.
   *
   * @return whether there was time left to do so
   */
  boolean pause() throws GatewayException {
    long left = end - System.nanoTime();
    if (left <= 0) {
      return false;
    }
    try {
      var unused = never.await(Math.min(left, next.toNanos()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GatewayException("interrupted", false);
    }
    next = next.multipliedBy(3).dividedBy(2);
    if (next.compareTo(LONGEST) > 0) {
      next = LONGEST;
    }
    return true;
  }
}
