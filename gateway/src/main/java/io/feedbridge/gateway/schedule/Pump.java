package io.feedbridge.gateway.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a step whenever it is woken or the time has come that the step named, never twice at once.
 * Due work is always found by reading the store, so a wake-up that is lost with the process costs
 * nothing (rules L1, L16).
 */
public final class Pump implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Pump.class);

  /** How long a step that failed (a full disk, say) waits before it is tried again. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  /** No step waits longer than the calls that it makes. */
  private static final Duration LONGEST_STEP = Duration.ofMinutes(1);

  private final String name;
  private final Step step;
  private final Executor executor;
  private final Timer timer;

  private boolean started;
  private boolean running;
  private boolean wakeAgain;
  private boolean closed;

  /** The failure of the last run; empty if it did not fail. Runs follow one another. */
  private volatile String failing = "";

  private Timer.@Nullable Scheduled next;

  /**
   * Prepares a pump; {@link #start} starts it.
   *
   * @param name for logs
   * @param executor where the step runs; it may block
   */
  public Pump(String name, Step step, Executor executor, Timer timer) {
    this.name = name;
    this.step = step;
    this.executor = executor;
    this.timer = timer;
  }

  /** One look for due work. */
  @FunctionalInterface
  public interface Step {
    /**
     * Does the work that is due.
     *
     * @return when the step must run again even without a wake-up; a time in the past for at once
     */
    Optional<Instant> run();
  }

  /** From now on wake-ups run the step; the first run is at once. */
  public void start() {
    synchronized (this) {
      started = true;
    }
    wake();
  }

  /** Runs the step soon. Any number of calls while it is about to run are one. Never blocks. */
  public void wake() {
    synchronized (this) {
      if (!started || closed) {
        return;
      }
      if (running) {
        wakeAgain = true;
        return;
      }
      running = true;
    }
    submit();
  }

  private void submit() {
    try {
      executor.execute(this::runOnce);
    } catch (RejectedExecutionException shuttingDown) {
      synchronized (this) {
        running = false;
        notifyAll();
      }
    }
  }

  /** Logs a failure once, not with each try while the disk is full for an hour. */
  private synchronized void tell(Throwable failure) {
    String what = failure.toString();
    if (!closed && !what.equals(failing)) {
      log.atError()
          .addKeyValue("pump", name)
          .setCause(failure)
          .log("A step failed and is tried again until it succeeds");
    }
    failing = what;
  }

  private void runOnce() {
    Optional<Instant> again;
    try {
      again = step.run();
      failing = "";
    } catch (RuntimeException | Error e) {
      // An error too (the memory that one feed needed, say): no other code would run the step
      // again.
      again = Optional.of(timer.clock().instant().plus(PAUSE_AFTER_FAILURE));
      tell(e);
    }
    boolean rerun;
    synchronized (this) {
      if (next != null) {
        next.cancel();
        next = null;
      }
      Instant now = timer.clock().instant();
      rerun = !closed && (wakeAgain || again.filter(at -> !at.isAfter(now)).isPresent());
      wakeAgain = false;
      running = rerun;
      if (!rerun && !closed) {
        next = again.map(at -> timer.at(at, this::wake)).orElse(null);
      }
      if (!rerun) {
        notifyAll();
      }
    }
    if (rerun) {
      submit();
    }
  }

  /** Whether the pump is being closed: a step of many writes then leaves the rest undone. */
  public synchronized boolean isClosed() {
    return closed;
  }

  /**
   * No further run begins. Waits for one under way; it must therefore not be called from the step.
   */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (next != null) {
        next.cancel();
      }
    }
    Waits.until(this, () -> !running, LONGEST_STEP);
  }
}
