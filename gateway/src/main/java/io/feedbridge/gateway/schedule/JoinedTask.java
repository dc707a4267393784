package io.feedbridge.gateway.schedule;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A task that callers want to have run since they asked. One run serves all callers that asked
 * before it began. Never blocks; safe for use by several threads.
 */
public final class JoinedTask {

  private final Runnable task;
  private final Executor executor;

  /** The run that has not begun; guarded by this. */
  private @Nullable CompletableFuture<Void> next;

  /**
   * A task that does not run.
   *
   * @param task may block
   * @param executor runs it
   */
  public JoinedTask(Runnable task, Executor executor) {
    this.task = task;
    this.executor = executor;
  }

  /** Completes when a run has ended that began after this call; with the failure of that run. */
  public CompletableFuture<Void> run() {
    CompletableFuture<Void> run;
    synchronized (this) {
      if (next != null) {
        return next.copy();
      }
      run = new CompletableFuture<>();
      next = run;
    }
    try {
      executor.execute(() -> run(run));
    } catch (RejectedExecutionException e) {
      begins();
      run.completeExceptionally(e);
    }
    return run.copy();
  }

  private synchronized void begins() {
    next = null;
  }

  private void run(CompletableFuture<Void> run) {
    begins();
    try {
      task.run();
      run.complete(null);
    } catch (RuntimeException | Error e) {
      run.completeExceptionally(e);
    }
  }
}
