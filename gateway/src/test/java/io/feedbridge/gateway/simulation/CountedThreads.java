package io.feedbridge.gateway.simulation;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Threads of which it is known when they have nothing to do. Safe for use by several threads. */
final class CountedThreads implements Executor, AutoCloseable {

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private long begun;
  private long ended;

  @Override
  public void execute(Runnable task) {
    synchronized (this) {
      begun++;
    }
    threads.execute(
        () -> {
          try {
            task.run();
          } finally {
            synchronized (this) {
              ended++;
              notifyAll();
            }
          }
        });
  }

  /** Waits until all tasks have ended; says how many there were so far. */
  synchronized long awaitIdle() throws InterruptedException {
    while (ended < begun) {
      wait();
    }
    return begun;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
