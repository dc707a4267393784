package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
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
import java.util.function.Predicate;

/**
 * Waits for the first fetch of feeds, and for later ones. Any number of callers that wait for one
 * feed share one look into the store. Safe for use by several threads.
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
    private final Predicate<FollowedFeed> isThere;
    private final CompletableFuture<FollowedFeed> fetched = new CompletableFuture<>();

    Waiter(Predicate<FollowedFeed> isThere) {
      this.isThere = isThere;
    }
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
    pump = new Pump("awaited-fetches", this::look, executor, timer);
  }

  /** Begins to watch for the fetches that are waited for. */
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
    return feed.tried()
        ? CompletableFuture.completedFuture(feed)
        : await(feed, one -> one.tried() && (one.followed() || one.hasBaseline()), atMost);
  }

  /**
   * The feed once a fetch at that time or later is recorded, whether it succeeded or not.
   *
   * @return fails with a TimeoutException if that takes too long
   */
  public CompletableFuture<FollowedFeed> awaitFetch(
      FollowedFeed feed, Instant since, Duration atMost) {
    return await(
        feed,
        one -> {
          Instant last = one.fetched().lastFetch();
          return last != null && !last.isBefore(since);
        },
        atMost);
  }

  private CompletableFuture<FollowedFeed> await(
      FollowedFeed feed, Predicate<FollowedFeed> isThere, Duration atMost) {
    Waiter one = new Waiter(isThere);
    synchronized (this) {
      waiting.computeIfAbsent(feed.id(), any -> new HashSet<>()).add(one);
    }
    Timer.Scheduled end =
        timer.at(
            timer.clock().instant().plus(atMost),
            () -> executor.execute(() -> giveUp(feed.id(), one)));
    // It may have been recorded between the caller's look and this.
    pump.wake();
    return one.fetched.whenComplete((done, failure) -> end.cancel());
  }

  private void giveUp(long feedId, Waiter one) {
    synchronized (this) {
      Set<Waiter> others = waiting.get(feedId);
      if (others != null && others.remove(one) && others.isEmpty()) {
        waiting.remove(feedId);
      }
    }
    one.fetched.completeExceptionally(new TimeoutException());
  }

  private Optional<Instant> look() {
    for (long feedId : waitedFor()) {
      store.feeds().byId(feedId).ifPresent(this::look);
    }
    return Optional.empty();
  }

  private void look(FollowedFeed feed) {
    taken(feed).forEach(one -> one.fetched.complete(feed));
    if (!feed.followed() && !feed.hasBaseline()) {
      // The feed was let go meanwhile, as another subscription ended: its work item was removed
      // unprocessed, or there is none.
      store.feeds().follow(feed.topic(), timer.clock().instant()).join();
    }
  }

  private synchronized List<Long> waitedFor() {
    return List.copyOf(waiting.keySet());
  }

  private synchronized List<Waiter> taken(FollowedFeed feed) {
    Set<Waiter> all = waiting.getOrDefault(feed.id(), Set.of());
    List<Waiter> taken = all.stream().filter(one -> one.isThere.test(feed)).toList();
    taken.forEach(all::remove);
    if (all.isEmpty()) {
      waiting.remove(feed.id());
    }
    return taken;
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
