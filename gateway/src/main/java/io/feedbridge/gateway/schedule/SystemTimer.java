package io.feedbridge.gateway.schedule;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The timer of a running gateway: one thread, real time. */
public final class SystemTimer implements Timer, AutoCloseable {

  private final Clock clock;
  private final ScheduledThreadPoolExecutor thread;

  public SystemTimer(Clock clock) {
    this.clock = clock;
    thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread timer = new Thread(task, "timer");
              timer.setDaemon(true);
              return timer;
            });
    thread.setRemoveOnCancelPolicy(true);
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public Scheduled at(Instant when, Runnable task) {
    // A millisecond more, since the rest of one is cut off: before its time a task finds nothing
    // due and would be asked for again and again until then. A span too long for the unit becomes
    // the longest one.
    Duration left = Duration.between(clock.instant(), when).plusMillis(1);
    long millis = TimeUnit.MILLISECONDS.convert(left);
    if (thread.isShutdown()) {
      return () -> {};
    }
    Future<?> future = thread.schedule(task, millis, TimeUnit.MILLISECONDS);
    return () -> future.cancel(false);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
