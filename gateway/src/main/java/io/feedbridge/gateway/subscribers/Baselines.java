package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

/**
 * Waits for the first fetch of feeds. Any number of callers that wait for one feed share one look
 * into the store. Safe for use by several threads.
 */
public final class Baselines implements AutoCloseable {

  private final Store store;
  private final Executor executor;
  private final Timer timer;
  private final Pump pump;

  /** Waiters by feed; guarded by this. A feed without waiters is not in it. */
  private final Map<Long, Set<Waiter>> waiting = new HashMap<>();

  /** Told apart by identity. */
  private static final class Waiter {
    private final CompletableFuture<FollowedFeed> tried = new CompletableFuture<>();
  }

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor where the store is read
   */
  public Baselines(Store store, Executor executor, Timer timer) {
    this.store = store;
    this.executor = executor;
    this.timer = timer;
    pump = new Pump("first-fetches", this::look, executor, timer);
  }

  /** Begins to watch for first fetches. */
  public void start() {
    store.onChange(Change.FETCHED, pump::wake);
    store.onChange(Change.FOLLOWING, pump::wake);
    pump.start();
  }

  /**
   * The feed once a fetch of it is recorded, whether it succeeded or not.
   *
   * @return fails with a TimeoutException if that takes too long
   */
  public CompletableFuture<FollowedFeed> await(FollowedFeed feed, Duration atMost) {
    if (feed.tried()) {
      return CompletableFuture.completedFuture(feed);
    }
    Waiter one = new Waiter();
    synchronized (this) {
      waiting.computeIfAbsent(feed.id(), any -> new HashSet<>()).add(one);
    }
    Timer.Scheduled end =
        timer.at(
            timer.clock().instant().plus(atMost),
            () -> executor.execute(() -> giveUp(feed.id(), one)));
    // It may have been recorded between the caller's look and this.
    pump.wake();
    return one.tried.whenComplete((tried, failure) -> end.cancel());
  }

  private void giveUp(long feedId, Waiter one) {
    synchronized (this) {
      Set<Waiter> others = waiting.get(feedId);
      if (others != null && others.remove(one) && others.isEmpty()) {
        waiting.remove(feedId);
      }
    }
    one.tried.completeExceptionally(new TimeoutException());
  }

  private Optional<Instant> look() {
    for (long feedId : waitedFor()) {
      store.feeds().byId(feedId).ifPresent(this::look);
    }
    return Optional.empty();
  }

  private void look(FollowedFeed feed) {
    if (feed.tried() && (feed.followed() || feed.hasBaseline())) {
      taken(feed.id()).forEach(one -> one.tried.complete(feed));
    } else if (!feed.followed()) {
      // The feed was let go meanwhile, as another subscription ended: its work item was removed
      // unprocessed, or there is none.
      store.feeds().follow(feed.topic(), timer.clock().instant()).join();
    }
  }

  private synchronized List<Long> waitedFor() {
    return List.copyOf(waiting.keySet());
  }

  private synchronized Set<Waiter> taken(long feedId) {
    Set<Waiter> taken = waiting.remove(feedId);
    return taken == null ? Set.of() : taken;
  }

  /** The number of waiters. */
  synchronized int waiting() {
    return waiting.values().stream().mapToInt(Set::size).sum();
  }

  @Override
  public void close() {
    pump.close();
  }
}
