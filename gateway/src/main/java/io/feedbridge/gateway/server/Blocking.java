package io.feedbridge.gateway.server;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Runs blocking work off the event loops, on a bounded number of threads behind a bounded queue.
 * When the queue is full a request is answered 503 at once, since waiting longer would only move
 * the queue into memory. Thread-safe.
 */
public final class Blocking {
  /** Threads unless told otherwise. */
  public static final int DEFAULT_THREADS = 16;

  /** Requests that may wait for a thread unless told otherwise. */
  public static final int DEFAULT_QUEUE = 1_024;

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final ThreadPoolExecutor executor;

  /**
   * @param threads at least 1
   * @param queue at least 1
   * @param name of the threads, before their number
   */
  public Blocking(int threads, int queue, String name) {
    AtomicInteger number = new AtomicInteger();
    this.executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(queue),
            task -> new Thread(task, name + "-" + number.incrementAndGet()));
  }

  /**
   * A handler that runs the work here. What the work throws fails the request as it would fail a
   * handler's. A request that was given up while it waited is not worked on.
   */
  public Handler offload(Function<Request, Response> work) {
    return request -> {
      CompletableFuture<Response> result = new CompletableFuture<>();
      try {
        executor.execute(() -> run(work, request, result));
      } catch (RejectedExecutionException e) {
        result.complete(
            Response.text(503, "the server is busy: try again later")
                .withHeader("Retry-After", Long.toString(RETRY_AFTER.toSeconds())));
      }
      return result;
    };
  }

  private static void run(
      Function<Request, Response> work, Request request, CompletableFuture<Response> result) {
    if (result.isDone()) {
      return;
    }
    try {
      result.complete(work.apply(request));
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }

  /** How many requests wait for a thread. */
  public int waiting() {
    return executor.getQueue().size();
  }

  /** Takes no more work, waits for what there is at most that long, then interrupts it. */
  public void close(Duration grace) {
    executor.shutdown();
    try {
      if (executor.awaitTermination(grace.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    executor.shutdownNow();
  }
}
