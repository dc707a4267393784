package io.feedbridge.gateway.admission;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Threads that callers share. Each caller has a few tasks on them at once. The caller's further
 * tasks wait in a line of its own, so that callers take turns. Never blocks; safe for use by
 * several threads.
 */
public final class Turns {

  private final Permits<String, Turn> turns;
  private final Executor threads;

  private record Turn(Runnable task, CompletableFuture<?> done) {}

  /**
   * Turns on some threads.
   *
   * @param atOnce tasks of one caller that run, or wait for a thread
   * @param waiting tasks of one caller that wait behind these
   * @param allWaiting tasks of all callers that wait so
   * @param threads run tasks in the order in which they come
   */
  public Turns(int atOnce, int waiting, int allWaiting, Executor threads) {
    turns = new Permits<>(new Permits.Bounds(atOnce, Integer.MAX_VALUE, 0, waiting, allWaiting));
    this.threads = threads;
  }

  /**
   * Runs a task soon, or after earlier tasks of the caller.
   *
   * @return fails with {@link RejectedExecutionException} if too many of the caller's tasks wait,
   *     or the threads take no more tasks; nothing is thrown
   */
  public <T> CompletableFuture<T> supply(String caller, Supplier<T> task) {
    CompletableFuture<T> done = new CompletableFuture<>();
    Turn turn = new Turn(() -> run(caller, task, done), done);
    switch (turns.take(caller, turn)) {
      case TAKEN -> execute(caller, turn);
      case WAITS -> {
        // Its turn comes when an earlier one has ended.
      }
      case REFUSED ->
          done.completeExceptionally(
              new RejectedExecutionException("too many tasks of one caller wait"));
    }
    return done;
  }

  private void execute(String caller, Turn turn) {
    try {
      threads.execute(turn.task);
    } catch (RejectedExecutionException e) {
      turn.done.completeExceptionally(e);
      end(caller);
    }
  }

  private <T> void run(String caller, Supplier<T> task, CompletableFuture<T> done) {
    T result;
    try {
      result = task.get();
    } catch (RuntimeException | Error e) {
      end(caller);
      done.completeExceptionally(e);
      return;
    }
    end(caller);
    done.complete(result);
  }

  /** One task has ended; the next of the caller goes to a thread. */
  private void end(String caller) {
    turns.giveBack(caller).ifPresent(next -> execute(next.key(), next.value()));
  }
}
