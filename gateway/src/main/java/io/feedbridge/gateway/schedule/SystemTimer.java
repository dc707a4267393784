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
    long millis = Math.max(0, Duration.between(clock.instant(), when).toMillis());
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
