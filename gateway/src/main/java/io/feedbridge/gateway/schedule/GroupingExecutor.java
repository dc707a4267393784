package io.feedbridge.gateway.schedule;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs short tasks on the threads of another executor. Where many tasks come at once, one thread
 * runs a few of them in sequence: to wake a thread for each takes longer than the task. Safe for
 * use by several threads.
 */
public final class GroupingExecutor implements Executor {

  /** Tasks that one thread runs before the others may take the next ones. */
  public static final int AT_ONCE = 25;

  private final Executor threads;
  private final int maxWaiting;

  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

  private final AtomicInteger size = new AtomicInteger();

  /**
   * Tasks run on these threads.
   *
   * @param threads have room for as many tasks as there can be here, and refuse one only when they
   *     are ending: tasks that wait then are dropped
   * @param maxWaiting tasks that wait; more are refused
   */
  public GroupingExecutor(Executor threads, int maxWaiting) {
    this.threads = threads;
    this.maxWaiting = maxWaiting;
  }

  /**
   * Runs a task soon.
   *
   * @throws RejectedExecutionException if too many tasks wait, or the threads take nothing more
   */
  @Override
  public void execute(Runnable task) {
    if (size.get() >= maxWaiting) {
      throw new RejectedExecutionException("too many tasks wait");
    }
    waiting.add(task);
    if (size.getAndIncrement() % AT_ONCE != 0) {
      // The thread for the first task of this group runs this one too, or asks for another thread.
      return;
    }
    try {
      threads.execute(this::runGroup);
    } catch (RejectedExecutionException e) {
      if (waiting.remove(task)) {
        size.decrementAndGet();
        throw e;
      }
    }
  }

  private void runGroup() {
    boolean goesOn = true;
    while (goesOn) {
      try {
        for (int i = 0; i < AT_ONCE && runNext(); i++) {
          // It was run.
        }
      } finally {
        goesOn = size.get() > 0 && !handedOn();
      }
    }
  }

  private boolean runNext() {
    Runnable next = waiting.poll();
    if (next == null) {
      return false;
    }
    size.decrementAndGet();
    next.run();
    return true;
  }

  /** Whether another thread runs the next ones; if not, the threads are ending. */
  private boolean handedOn() {
    try {
      threads.execute(this::runGroup);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }
}
