package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.admission.Turns;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * The work that callers make the gateway do before it knows whether they may have it done: reading
 * calls in XML, say. Each caller has a few tasks on the shared threads and a bounded number that
 * wait, so that it delays no other, and a budget of CPU time. Thread-safe.
 */
public final class CallerWork {

  /** Tasks of one caller that run, or wait for a thread, at once. */
  static final int AT_ONCE = 2;

  /** Tasks of one caller that wait while {@link #AT_ONCE} others run. */
  static final int WAITING = 128;

  /** Tasks of all callers that wait behind others of their callers. */
  static final int MAX_WAITING = 8_192;

  /** Milliseconds of CPU time of one caller: a sixth of one core. */
  static final Rate MILLIS = new Rate(10_000, Duration.ofMinutes(1));

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Executor executor;
  private final Buckets millis;
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

  private final Turns turns;

  /**
   * Wires the part.
   *
   * @param executor shared by all callers
   */
  public CallerWork(Executor executor, Clock clock) {
    this.executor = executor;
    turns = new Turns(AT_ONCE, WAITING, MAX_WAITING, executor);
    millis = new Buckets(MILLIS, clock);
  }

  /** Why a caller may not have more done now; empty if it may. */
  public Optional<Refusal> refusal(String caller) {
    return millis
        .peek(caller)
        .map(wait -> Refusal.of("milliseconds of work for one caller", MILLIS, wait));
  }

  /** Whether time was spent for a caller lately. */
  boolean isCharged(String caller) {
    return !millis.isFull(caller);
  }

  /**
   * Runs a task, at once or after earlier tasks of the caller.
   *
   * @param caller empty for one without limits
   * @return fails with {@link RejectedExecutionException} if too many of the caller's tasks wait,
   *     or the executor takes no more tasks; nothing is thrown
   */
  public <T> CompletableFuture<T> supply(Optional<String> caller, Supplier<T> task) {
    if (caller.isPresent()) {
      return turns.supply(caller.get(), () -> charged(caller.get(), task));
    }
    try {
      return CompletableFuture.supplyAsync(task, executor);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private <T> T charged(String caller, Supplier<T> task) {
    long began = threads.getCurrentThreadCpuTime();
    try {
      return task.get();
    } finally {
      millis.charge(caller, (threads.getCurrentThreadCpuTime() - began) / NANOS_PER_MILLI);
    }
  }
}
