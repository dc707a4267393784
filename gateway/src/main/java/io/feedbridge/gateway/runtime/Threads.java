package io.feedbridge.gateway.runtime;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The pools in which work runs that blocks; each is bounded in threads and in queue. */
public final class Threads {

  /** How long a pool may take to end its last tasks. */
  private static final Duration STOP_WAIT = Duration.ofSeconds(1);

  private Threads() {}

  /**
   * A pool.
   *
   * @param name of its threads, and of its meters
   * @param queue tasks that may wait; one more is refused
   */
  public static ThreadPoolExecutor pool(String name, int threads, int queue) {
    AtomicInteger number = new AtomicInteger();
    return new ThreadPoolExecutor(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new ArrayBlockingQueue<>(queue),
        task -> new Thread(task, name + "-" + number.incrementAndGet()));
  }

  /** Ends a pool; tasks that go on past the wait are interrupted. */
  public static void end(ThreadPoolExecutor pool) {
    pool.shutdown();
    try {
      if (pool.awaitTermination(STOP_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pool.shutdownNow();
  }
}
