package io.feedbridge.gateway.schedule;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * The gateway's clock: the system clock, except that it never goes back, so that no wait becomes
 * longer when the system clock is set back. It stays ahead then, and runs a tenth slower until both
 * agree again. It follows a step forward at once.
 *
 * <p>A step back is seen by the first reading after it. The clock is to be read every few seconds,
 * since the time between the reading before the step and the step is lost to the gateway's clock.
 * Thread-safe.
 */
public final class SteadyClock extends Clock {

  /** Readings closer together than this are not recorded: a step back by less is not noticed. */
  static final Duration RESOLUTION = Duration.ofMillis(100);

  /** A longer pause between two readings is a step forward, or a machine that was suspended. */
  static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  /** While it is ahead the clock loses this part of the time that passes. */
  private static final int SLOWER_BY = 10;

  private final Clock system;

  /** Written under the lock alone. */
  private volatile Reading last;

  /** A clock that agrees with the system's. */
  public SteadyClock(Clock system) {
    this.system = system;
    last = new Reading(system.millis(), 0);
  }

  /**
   * A reading of the system clock, both in milliseconds.
   *
   * @param ahead the time that is added to it
   */
  private record Reading(long at, long ahead) {

    boolean covers(long now) {
      return now >= at && now - at < RESOLUTION.toMillis();
    }

    Reading next(long now) {
      long passed = now - at;
      if (passed < 0) {
        return new Reading(now, ahead - passed);
      }
      long lost = passed > LONGEST_PAUSE.toMillis() ? passed : passed / SLOWER_BY;
      return new Reading(now, Math.max(0, ahead - lost));
    }
  }

  /**
   * The system clock behind a gateway's clock, for times that others compare with theirs: {@code
   * Date}, signed timestamps, and dates in answers.
   */
  public static Clock systemOf(Clock clock) {
    return clock instanceof SteadyClock steady ? steady.system : clock;
  }

  /** By how much it is ahead of the system clock. */
  public Duration ahead() {
    return Duration.ofMillis(read().ahead);
  }

  @Override
  public Instant instant() {
    return read().instant();
  }

  private record Read(Instant system, long ahead) {
    Instant instant() {
      return ahead == 0 ? system : system.plusMillis(ahead);
    }
  }

  private Read read() {
    // Read before the clock is: a reading that is older than the clock's cannot look like a step.
    Reading before = last;
    Instant now = system.instant();
    return before.covers(now.toEpochMilli()) ? new Read(now, before.ahead) : recorded();
  }

  private synchronized Read recorded() {
    Instant now = system.instant();
    if (!last.covers(now.toEpochMilli())) {
      last = last.next(now.toEpochMilli());
    }
    return new Read(now, last.ahead);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  /**
   * Zones are of no use to the gateway.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("the gateway's clock is in UTC");
  }
}
