package io.feedbridge.gateway.downstream;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Waits for the first fetch of feeds. Any number of callers that wait for one feed share one look
 * into the store.
 */
final class Baselines implements AutoCloseable {

  private final Store store;
  private final Pump pump;
  private final Map<Long, CompletableFuture<FollowedFeed>> waiting = new ConcurrentHashMap<>();

  Baselines(Store store, Executor executor, Timer timer) {
    this.store = store;
    pump = new Pump("first-fetches", this::look, executor, timer);
  }

  void start() {
    store.onChange(Change.FETCHED, pump::wake);
    pump.start();
  }

  /**
   * The feed once a fetch of it is recorded, whatever came of that.
   *
   * @return fails with a TimeoutException if that takes too long
   */
  CompletableFuture<FollowedFeed> await(FollowedFeed feed, Duration atMost) {
    if (feed.tried()) {
      return CompletableFuture.completedFuture(feed);
    }
    CompletableFuture<FollowedFeed> shared =
        waiting.computeIfAbsent(feed.id(), any -> new CompletableFuture<>());
    // It may have been recorded between the caller's look and this.
    pump.wake();
    return shared.copy().orTimeout(atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Optional<Instant> look() {
    for (long feedId : waiting.keySet()) {
      store
          .feeds()
          .byId(feedId)
          .filter(FollowedFeed::tried)
          .ifPresent(
              feed -> {
                CompletableFuture<FollowedFeed> shared = waiting.remove(feedId);
                if (shared != null) {
                  shared.complete(feed);
                }
              });
    }
    return Optional.empty();
  }

  @Override
  public void close() {
    pump.close();
  }
}
