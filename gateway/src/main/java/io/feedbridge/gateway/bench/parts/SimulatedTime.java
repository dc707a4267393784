package io.feedbridge.gateway.bench.parts;

import io.feedbridge.gateway.schedule.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still while one of its threads does anything, and then goes straight to the
 * next time for which there is a task. Safe for use by several threads; one of them turns it.
 */
final class SimulatedTime implements Timer, Executor, AutoCloseable {

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Clock clock = new TurnedClock(ZoneOffset.UTC);
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparing(Task::at).thenComparing(Task::number));

  private Instant now;
  private long number;

  /** Tasks that threads were given and have not ended. */
  private int underWay;

  private record Task(Instant at, long number, Runnable run) {}

  /** The clock stands at {@code start}. */
  SimulatedTime(Instant start) {
    now = start;
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public synchronized Scheduled at(Instant when, Runnable run) {
    Task task = new Task(when, number++, run);
    tasks.add(task);
    return () -> cancel(task);
  }

  private synchronized void cancel(Task task) {
    tasks.remove(task);
  }

  @Override
  public void execute(Runnable task) {
    synchronized (this) {
      underWay++;
    }
    threads.execute(
        () -> {
          try {
            task.run();
          } finally {
            ended();
          }
        });
  }

  private synchronized void ended() {
    underWay--;
    notifyAll();
  }

  /** Lets so much time pass. */
  void advance(Duration by) throws InterruptedException {
    Instant end = clock.instant().plus(by);
    for (Task task = next(end); task != null; task = next(end)) {
      task.run.run();
    }
  }

  /**
   * The next task up to then, once nothing is under way; the clock goes to its time, or to then.
   */
  private synchronized @Nullable Task next(Instant end) throws InterruptedException {
    while (underWay > 0) {
      wait();
    }
    Task next = tasks.peek();
    Instant until = next == null || next.at.isAfter(end) ? end : next.at;
    if (until.isAfter(now)) {
      now = until;
    }
    return next == null || next.at.isAfter(end) ? null : tasks.remove();
  }

  @Override
  public void close() {
    threads.shutdownNow();
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
      synchronized (SimulatedTime.this) {
        return now;
      }
    }
  }
}
