package io.feedbridge.gateway.intake;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.sql.Store;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Tells the sender of a ping whether the feed could be read, or when it is fetched, as far as that
 * is known soon. Safe for use by several threads.
 */
public final class PingOutcomes implements AutoCloseable {

  /** The longest that a ping waits for its fetch. */
  static final Duration WAIT = Duration.ofSeconds(5);

  /** Feeds that are waited for at once. A ping beyond them is answered without waiting. */
  static final int MAX_WAITING = 200;

  /**
   * The shortest time between two looks at the store: a look reads each feed that is waited for.
   */
  static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

  private final Store store;
  private final Timer timer;
  private final Clock clock;
  private final Executor executor;
  private final Pump pump;

  /** Guarded by this. */
  private final Set<Waiter> waiting = new LinkedHashSet<>();

  /** Used by the pump alone. */
  private Instant lastLook = Instant.MIN;

  /** One ping; told apart by identity. */
  private static final class Waiter {
    private final Instant since;
    private final Set<String> feeds;
    private final Map<String, String> failures = new LinkedHashMap<>();
    private final Map<String, String> later = new LinkedHashMap<>();
    private final CompletableFuture<Known> known = new CompletableFuture<>();

    Waiter(Collection<String> feeds, Instant since) {
      this.since = since;
      this.feeds = new LinkedHashSet<>(feeds);
    }
  }

  /**
   * The outcomes that are known in time, by the topics of the feeds.
   *
   * @param failures why feeds could not be read
   * @param later the times until which fetches are held back, each with its reason
   */
  public record Known(Map<String, String> failures, Map<String, String> later) {

    private static final Known NOTHING = new Known(Map.of(), Map.of());
  }

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor where the store is read
   */
  public PingOutcomes(Store store, Executor executor, Timer timer) {
    this.store = store;
    this.timer = timer;
    this.executor = executor;
    clock = timer.clock();
    pump = new Pump("ping-outcomes", this::look, executor, timer);
  }

  /** Begins to watch for fetches. */
  public void start() {
    store.onChange(Change.FETCHED, this::wake);
    // A fetch that a budget holds back is due later.
    store.onChange(Change.FETCH_DUE, this::wake);
    pump.start();
  }

  private void wake() {
    if (isWaitedFor()) {
      pump.wake();
    }
  }

  private synchronized boolean isWaitedFor() {
    return !waiting.isEmpty();
  }

  /** The time that {@link #of} takes for a ping that is about to be made. */
  public Instant now() {
    // Fetches are recorded to the millisecond.
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }

  /**
   * The outcomes of pings.
   *
   * @param feeds topics of followed feeds, each of which was pinged
   * @param since before the pings
   * @return the feeds whose fetch has failed since then, and the feeds whose fetch is held back;
   *     completes when each feed was fetched or is held back, within 5 s, never exceptionally
   */
  public CompletableFuture<Known> of(Collection<String> feeds, Instant since) {
    Waiter one = new Waiter(feeds, since);
    synchronized (this) {
      int already = waiting.stream().mapToInt(other -> other.feeds.size()).sum();
      if (feeds.isEmpty() || already + feeds.size() > MAX_WAITING) {
        return CompletableFuture.completedFuture(Known.NOTHING);
      }
      waiting.add(one);
    }
    Timer.Scheduled end = timer.at(clock.instant().plus(WAIT), () -> giveUp(one));
    // The fetch may have been recorded before this.
    pump.wake();
    return one.known.whenComplete((known, failure) -> end.cancel());
  }

  private void giveUp(Waiter one) {
    try {
      executor.execute(() -> complete(one));
    } catch (RejectedExecutionException stopping) {
      complete(one);
    }
  }

  private void complete(Waiter one) {
    Known known;
    synchronized (this) {
      waiting.remove(one);
      known = new Known(new LinkedHashMap<>(one.failures), new LinkedHashMap<>(one.later));
    }
    one.known.complete(known);
  }

  private Optional<Instant> look() {
    Instant now = clock.instant();
    Instant next = lastLook.equals(Instant.MIN) ? now : lastLook.plus(BETWEEN_LOOKS);
    if (next.isAfter(now)) {
      return Optional.of(next);
    }
    lastLook = now;
    List<Waiter> all;
    synchronized (this) {
      all = List.copyOf(waiting);
    }
    Map<String, Optional<FollowedFeed>> found = new HashMap<>();
    for (Waiter one : all) {
      for (String topic : List.copyOf(one.feeds)) {
        found.computeIfAbsent(topic, store.feeds()::byTopic);
      }
    }
    all.forEach(one -> look(one, found, now));
    return Optional.empty();
  }

  private void look(Waiter one, Map<String, Optional<FollowedFeed>> found, Instant now) {
    List<String> told = new ArrayList<>();
    synchronized (this) {
      for (String topic : List.copyOf(one.feeds)) {
        Optional<FollowedFeed> feed = found.getOrDefault(topic, Optional.empty());
        if (feed.filter(known -> isFetchedSince(known, one.since)).isPresent()) {
          told.add(topic);
          failure(feed.get()).ifPresent(why -> one.failures.put(topic, why));
        } else if (feed.filter(FollowedFeed::followed).isEmpty()) {
          told.add(topic);
        } else {
          heldBack(feed.get(), now)
              .ifPresent(
                  held -> {
                    told.add(topic);
                    one.later.put(topic, words(held));
                  });
        }
      }
      told.forEach(one.feeds::remove);
    }
    if (one.feeds.isEmpty()) {
      complete(one);
    }
  }

  /** The fetch comes later than any ping waits. */
  private Optional<HeldBack> heldBack(FollowedFeed feed, Instant now) {
    return store.feeds().heldBack(feed.id()).filter(held -> held.until().isAfter(now));
  }

  private static String words(HeldBack held) {
    return "at %s: %s".formatted(held.until().truncatedTo(ChronoUnit.SECONDS), held.reason());
  }

  private static boolean isFetchedSince(FollowedFeed feed, Instant since) {
    Instant last = feed.fetched().lastFetch();
    return last != null && !last.isBefore(since);
  }

  /** Strangers are not told that the gateway has credentials. */
  private Optional<String> failure(FollowedFeed feed) {
    boolean failed = feed.fetched().failures() > 0 || feed.state() == FeedState.GONE;
    String why =
        store.privateFeeds().contains(feed.topic())
            ? FollowedFeed.ASKS_FOR_CREDENTIALS
            : String.valueOf(feed.fetched().message());
    return failed ? Optional.of(why) : Optional.empty();
  }

  /** Watches no more. */
  @Override
  public void close() {
    pump.close();
  }
}
