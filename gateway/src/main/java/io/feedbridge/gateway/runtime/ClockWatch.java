package io.feedbridge.gateway.runtime;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.sql.StoredTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the waits right when the system clock is set back: reads the gateway's clock often enough
 * for it to notice, and has it written for the next start.
 */
public final class ClockWatch implements AutoCloseable {

  /**
   * The time between two readings of the clock: a clock that is set back delays a wait by no more.
   */
  static final Duration TICK = Duration.ofSeconds(10);

  /** The time between two writes of the clock: a start detects a larger step of the clock. */
  static final Duration MARK = Duration.ofMinutes(1);

  private static final Logger log = LoggerFactory.getLogger(ClockWatch.class);

  private final StoredTimes times;
  private final SteadyClock clock;
  private final Pump pump;

  /** Only the pump's step uses them once it has started. */
  private Instant marked = Instant.EPOCH;

  private Duration told = Duration.ZERO;

  public ClockWatch(StoredTimes times, SteadyClock clock, Executor executor, Timer timer) {
    this.times = times;
    this.clock = clock;
    pump = new Pump("clock", this::step, executor, timer);
  }

  /**
   * Bounds the stored waits; blocks. Nothing that waits may have begun.
   *
   * @param longestFetch the longest period between two fetches of a feed
   */
  public void bound(Duration longestFetch) {
    marked = clock.instant();
    StoredTimes.Moved moved = times.bound(marked, longestFetch).join();
    if (!moved.back().isZero() || moved.shortened() > 0) {
      log.atWarn()
          .addKeyValue("setBack", moved.back())
          .addKeyValue("moved", moved.moved())
          .addKeyValue("shortened", moved.shortened())
          .log("The system clock was set back since the last run: stored waits were moved with it");
    }
  }

  public void start() {
    pump.start();
  }

  private Optional<Instant> step() {
    Instant now = clock.instant();
    Duration ahead = clock.ahead();
    if (ahead.compareTo(told.plus(TICK)) > 0) {
      log.atWarn()
          .addKeyValue("ahead", ahead)
          .log(
              "The system clock was set back: the gateway's clock stays ahead and runs a tenth"
                  + " slower until both agree, or until a restart");
    }
    told = ahead;
    if (marked.plus(MARK).isBefore(now)) {
      times.mark(now).join();
      marked = now;
    }
    return Optional.of(now.plus(TICK));
  }

  @Override
  public void close() {
    pump.close();
  }
}
