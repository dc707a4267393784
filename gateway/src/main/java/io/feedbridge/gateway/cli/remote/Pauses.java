package io.feedbridge.gateway.cli.remote;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Growing pauses, until a wait ends. For one thread. */
public final class Pauses {

  private static final Duration FIRST = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private final CountDownLatch never = new CountDownLatch(1);
  private final long end;
  private Duration next = FIRST;

  /** Pauses for this time from now on. */
  public Pauses(Duration all) {
    end = System.nanoTime() + all.toNanos();
  }

  /**
   * Waits.
   *
   * @return whether there was time left to do so
   */
  public boolean pause() throws GatewayException {
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
