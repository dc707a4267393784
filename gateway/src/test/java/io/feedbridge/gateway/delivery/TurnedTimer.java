package io.feedbridge.gateway.delivery;

import io.feedbridge.gateway.schedule.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A timer whose clock stands still until a test turns it; tasks run on the thread that does. */
public final class TurnedTimer implements Timer {

  private final List<Task> tasks = new ArrayList<>();
  private final Clock clock = new TurnedClock();
  private Instant now;

  TurnedTimer(Instant start) {
    now = start;
  }

  private static final class Task {
    final Instant at;
    final Runnable run;

    Task(Instant at, Runnable run) {
      this.at = at;
      this.run = run;
    }
  }

  @Override
  public Clock clock() {
    return clock;
  }

  public synchronized Instant now() {
    return now;
  }

  @Override
  public synchronized Scheduled at(Instant when, Runnable task) {
    Task scheduled = new Task(when, task);
    tasks.add(scheduled);
    return () -> {
      synchronized (this) {
        tasks.remove(scheduled);
      }
    };
  }

  /** Turns the clock on and runs what became due. */
  public void turn(Duration by) {
    synchronized (this) {
      now = now.plus(by);
    }
    for (Optional<Task> task = next(); task.isPresent(); task = next()) {
      task.get().run.run();
    }
  }

  private synchronized Optional<Task> next() {
    Optional<Task> next =
        tasks.stream()
            .filter(task -> !task.at.isAfter(now))
            .min(Comparator.comparing(task -> task.at));
    next.ifPresent(tasks::remove);
    return next;
  }

  private final class TurnedClock extends Clock {
    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId other) {
      return this;
    }

    @Override
    public Instant instant() {
      return now();
    }
  }
}
