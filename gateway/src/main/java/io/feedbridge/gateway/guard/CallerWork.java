package io.feedbridge.gateway.guard;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
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

  /** Milliseconds of CPU time of one caller: a sixth of one core. */
  static final Rate MILLIS = new Rate(10_000, Duration.ofMinutes(1));

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Executor executor;
  private final Buckets millis;
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

  /** Callers with tasks; guarded by itself. */
  private final Map<String, Turns> callers = new HashMap<>();

  private record Turn(Runnable task, CompletableFuture<?> done) {}

  private static final class Turns {
    final Deque<Turn> waiting = new ArrayDeque<>();
    int running;
  }

  /**
   * Wires the part.
   *
   * @param executor shared by all callers
   */
  public CallerWork(Executor executor, Clock clock) {
    this.executor = executor;
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
   * @return fails with {@link RejectedExecutionException} if the executor takes no more tasks
   * @throws RejectedExecutionException if too many of the caller's tasks wait
   */
  public <T> CompletableFuture<T> supply(Optional<String> caller, Supplier<T> task) {
    if (caller.isEmpty()) {
      return CompletableFuture.supplyAsync(task, executor);
    }
    CompletableFuture<T> done = new CompletableFuture<>();
    Turn turn = new Turn(() -> run(caller.get(), task, done), done);
    if (begin(caller.get(), turn)) {
      execute(caller.get(), turn);
    }
    return done;
  }

  /** Whether a task may go to a thread at once. */
  private boolean begin(String caller, Turn turn) {
    synchronized (callers) {
      Turns turns = callers.computeIfAbsent(caller, one -> new Turns());
      if (turns.running < AT_ONCE) {
        turns.running++;
        return true;
      }
      if (turns.waiting.size() >= WAITING) {
        throw new RejectedExecutionException("too many calls of one caller wait");
      }
      turns.waiting.add(turn);
      return false;
    }
  }

  private void execute(String caller, Turn turn) {
    try {
      executor.execute(turn.task);
    } catch (RejectedExecutionException e) {
      end(caller);
      turn.done.completeExceptionally(e);
    }
  }

  private <T> void run(String caller, Supplier<T> task, CompletableFuture<T> done) {
    long began = threads.getCurrentThreadCpuTime();
    T result = null;
    Throwable failure = null;
    try {
      result = task.get();
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    millis.charge(caller, (threads.getCurrentThreadCpuTime() - began) / NANOS_PER_MILLI);
    end(caller);
    if (failure == null) {
      done.complete(result);
    } else {
      done.completeExceptionally(failure);
    }
  }

  /** One task has ended; the next of the caller goes to a thread. */
  private void end(String caller) {
    Optional<Turn> next;
    synchronized (callers) {
      Turns turns = callers.get(caller);
      if (turns == null) {
        return;
      }
      next = Optional.ofNullable(turns.waiting.poll());
      if (next.isEmpty() && --turns.running == 0) {
        callers.remove(caller);
      }
    }
    next.ifPresent(turn -> execute(caller, turn));
  }
}
