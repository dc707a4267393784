package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.admission.Turns;
import io.feedbridge.gateway.server.message.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Threads on which requests are worked on. Each caller has a few tasks on them at once; its further
 * tasks wait in a line of its own, so that callers take turns. Thread-safe.
 */
public final class CallerThreads {

  /** Tasks of one caller on the threads, unless a pool has another number; pools have more. */
  public static final int AT_ONCE = 2;

  /** Tasks of one caller that wait behind these: one for each of its connections. */
  static final int WAITING = 512;

  /** Tasks of all callers that wait so: one for each connection. */
  static final int MAX_WAITING = 10_000;

  private final Function<Request, String> key;
  private final Turns turns;

  /**
   * Threads of some kind of work.
   *
   * @param key of a request's caller, as limits tell callers apart
   * @param atOnce tasks of one caller on the threads
   */
  public CallerThreads(Function<Request, String> key, int atOnce, Executor threads) {
    this.key = key;
    turns = new Turns(atOnce, WAITING, MAX_WAITING, threads);
  }

  /** The key of a request's caller. */
  public String key(Request request) {
    return key.apply(request);
  }

  /**
   * Runs a task for a request, which may block.
   *
   * @return fails with {@link RejectedExecutionException} if too many tasks wait; nothing is thrown
   */
  public <T> CompletableFuture<T> supply(Request request, Supplier<T> task) {
    return turns.supply(key(request), task);
  }

  /** Runs a task that may block at its beginning, and has its result later. */
  public <T> CompletableFuture<T> begin(Request request, Supplier<CompletionStage<T>> task) {
    return supply(request, task).thenCompose(later -> later);
  }
}
