package io.feedbridge.gateway.schedule;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A timer whose clock stands still until a test turns it. Tasks run on the thread that turns it, in
 * the order of their times, each at its own time. One whose time has come already runs at the next
 * turn, even if that is {@link #runDue}. Safe for use by several threads; one at a time turns it.
 */
public final class ManualTimer implements Timer {

  private final List<Task> tasks = new ArrayList<>();
  private final Clock clock = new TurnedClock(ZoneOffset.UTC);
  private Instant now;

  /** The clock stands at {@code start}. */
  public ManualTimer(Instant start) {
    now = start;
  }

  @Override
  public Clock clock() {
    return clock;
  }

  /** Where the clock stands. */
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

  /** Turns the clock on, running what becomes due on the way. */
  public void advance(Duration by) {
    advanceTo(now().plus(by));
  }

  /** Turns the clock on to a time, running what becomes due on the way. */
  public void advanceTo(Instant to) {
    for (Task task = next(to); task != null; task = next(to)) {
      task.run.run();
    }
  }

  /** Runs what is due without turning the clock. */
  public void runDue() {
    advanceTo(now());
  }

  /** When the next task runs, if there is any. */
  public synchronized Optional<Instant> nextAt() {
    return tasks.stream().map(task -> task.at).min(Comparator.naturalOrder());
  }

  /** Whether a task is to run exactly so long from now. */
  public synchronized boolean runsOneIn(Duration time) {
    return tasks.stream().anyMatch(task -> task.at.equals(now.plus(time)));
  }

  /** The number of tasks that are to run. */
  public synchronized int waiting() {
    return tasks.size();
  }

  /** Takes out the next task up to then and turns the clock to it, or else to then. */
  private synchronized @Nullable Task next(Instant to) {
    Optional<Task> next =
        tasks.stream()
            .filter(task -> !task.at.isAfter(to))
            .min(Comparator.comparing(task -> task.at));
    Instant until = next.map(task -> task.at).orElse(to);
    if (until.isAfter(now)) {
      now = until;
    }
    next.ifPresent(tasks::remove);
    return next.orElse(null);
  }

  /** Compared by identity: the same task may be scheduled twice for the same time. */
  private static final class Task {
    private final Instant at;
    private final Runnable run;

    Task(Instant at, Runnable run) {
      this.at = at;
      this.run = run;
    }
  }

  private final class TurnedClock extends Clock {
    private final ZoneId zone;

    TurnedClock(ZoneId zone) {
      this.zone = zone;
    }

    @Override
    public ZoneId getZone() {
      return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
      return new TurnedClock(other);
    }

    @Override
    public Instant instant() {
      return now();
    }
  }
}
