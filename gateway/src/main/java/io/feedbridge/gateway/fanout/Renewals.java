package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Subscription;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Tells whether what was read of subscriptions may be old by now (rule L7): it counts renewals and
 * ends, so that who waits to be sent something need not be read again as long as there are none.
 * Thread-safe.
 */
final class Renewals {

  private final Store store;
  private final Executor executor;
  private final AtomicLong count = new AtomicLong();

  /**
   * Counts nothing before {@link #start}.
   *
   * @param executor where subscriptions are read again
   */
  Renewals(Store store, Executor executor) {
    this.store = store;
    this.executor = executor;
  }

  void start() {
    store.onChange(Change.SUBSCRIPTION, count::incrementAndGet);
  }

  /** Changes whenever a subscription may have. */
  long count() {
    return count.get();
  }

  /**
   * What is made of the subscription as it is now; empty if it has ended. Never blocks.
   *
   * @param make runs on the executor and may block
   */
  <T> CompletableFuture<Optional<T>> read(
      long subscriptionId, Function<Subscription, Optional<T>> make) {
    try {
      return CompletableFuture.supplyAsync(
          () -> store.subscriptions().byId(subscriptionId).flatMap(make), executor);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
