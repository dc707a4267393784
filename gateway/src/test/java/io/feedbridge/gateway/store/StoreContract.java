package io.feedbridge.gateway.store;

import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.SqlAccounts;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.Users;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import io.feedbridge.gateway.store.sql.feeds.Pings;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.store.subscriptions.Verification;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import io.feedbridge.gateway.work.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What the contract suites have in common. An adapter is held to them by a subclass of each that
 * says how to {@link #open} it, empty.
 */
public abstract class StoreContract {

  protected static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  protected static final Duration LEASE = Duration.ofDays(10);
  protected static final Terms TERMS = terms(Format.ATOM);

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Threads that write at once, each one write at a time. */
  private static final int WRITERS = 32;

  private Backend backend;

  /** The adapter under test, over a place where nothing is yet. */
  protected abstract Backend open();

  @BeforeEach
  public final void openBackend() {
    backend = open();
  }

  @AfterEach
  public final void closeBackend() {
    backend.close();
  }

  protected final void restart() {
    backend.restart();
  }

  protected final Store store() {
    return backend.store();
  }

  protected final Work work() {
    return backend.work();
  }

  protected final Database database() {
    return backend.database();
  }

  protected final Feeds feeds() {
    return store().feeds();
  }

  protected final UpstreamSubscriptions upstreamSubscriptions() {
    return store().upstreamSubscriptions();
  }

  protected final Subscriptions subscriptions() {
    return store().subscriptions();
  }

  protected final Rounds rounds() {
    return store().rounds();
  }

  protected final Laggards laggards() {
    return store().laggards();
  }

  protected final Log log() {
    return store().log();
  }

  protected final Users users() {
    return store().users();
  }

  protected final SqlAccounts accounts() {
    return backend.accounts();
  }

  protected final Pings pings() {
    return store().pings();
  }

  protected final Consumers consumers() {
    return store().consumers();
  }

  /** Writes where a consumer is; whether that was written. */
  protected boolean moved(LogConsumer consumer) {
    return done(consumers().move(List.of(consumer))).contains(consumer.id());
  }

  /** The result of a write, once it is durable. */
  protected static <T extends @Nullable Object> T done(CompletableFuture<T> write) {
    try {
      return write.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException("the write did not end", e);
    }
  }

  /** Has all writes of some calls share one commit; returns their results once it is durable. */
  protected final <T extends @Nullable Object> List<T> inOneCommit(
      Supplier<List<CompletableFuture<T>>> calls) {
    CompletableFuture<Boolean> called = new CompletableFuture<>();
    CompletableFuture<Boolean> busy = holdUp(called, false);
    // From now on no writer takes any of them before all wait.
    CompletableFuture<Boolean> busyBeside =
        database().hasWriterBeside() ? holdUp(called, true) : busy;
    List<CompletableFuture<T>> writes;
    try {
      writes = calls.get();
    } finally {
      called.complete(true);
    }
    done(busy);
    done(busyBeside);
    List<T> results = new ArrayList<>();
    writes.forEach(write -> results.add(done(write)));
    return results;
  }

  /** Returns once a writer has begun a transaction that ends after the future. */
  private CompletableFuture<Boolean> holdUp(CompletableFuture<Boolean> until, boolean beside) {
    CompletableFuture<Boolean> begun = new CompletableFuture<>();
    Database.Joint<Boolean, Boolean> held =
        (handle, effects, parts) -> {
          begun.complete(true);
          return List.of(until.join());
        };
    CompletableFuture<Boolean> busy =
        beside ? database().writeBeside(0, held, true) : database().write(0, held, true);
    done(begun);
    return busy;
  }

  protected static Instant after(Duration duration) {
    return NOW.plus(duration);
  }

  protected static Terms terms(Format format) {
    return new Terms("http://topic.example/as-named", format, null, "sha256", false, false, LEASE);
  }

  /** As the store has it now. */
  protected final FollowedFeed reread(FollowedFeed feed) {
    return feeds().byId(feed.id()).orElseThrow();
  }

  /** A feed with a baseline. */
  protected final FollowedFeed feed(String name) {
    FollowedFeed feed = done(feeds().follow("https://origin.example/" + name, NOW));
    done(feeds().record(OutcomeBuilder.of(feed, NOW).baseline().build()));
    return reread(feed);
  }

  /** The same, whose bytes are kept. */
  protected final FollowedFeed feedWithBytes(String name) {
    FollowedFeed feed = feed(name);
    done(feeds().keepBody(feed.id(), NOW.plus(Duration.ofDays(30)), NOW));
    return reread(feed);
  }

  /** Appends one event; says its sequence number. */
  protected final long append(FollowedFeed feed, int entries) {
    return done(feeds().record(OutcomeBuilder.of(reread(feed), NOW).event(entries).build())).get(0);
  }

  /** A confirmed WebSub subscription. */
  protected final Subscription subscribe(FollowedFeed feed, String callback) {
    return subscribe(feed, callback, TERMS);
  }

  protected final Subscription subscribe(FollowedFeed feed, String callback, Terms terms) {
    Verification verification = requestSubscription(feed.topic(), callback, terms);
    if (!done(subscriptions().confirm(verification, NOW))) {
      throw new IllegalStateException("the request was not the newest");
    }
    return subscriptions().ofFeed(feed.id(), 0, Integer.MAX_VALUE).stream()
        .filter(s -> s.callback().equals(callback) && s.protocol() == Protocol.WEBSUB)
        .findFirst()
        .orElseThrow();
  }

  protected final Verification requestSubscription(String topic, String callback, Terms terms) {
    return done(
        subscriptions().request(Verification.Mode.SUBSCRIBE, topic, callback, terms, null, NOW));
  }

  protected final Round openRound(FollowedFeed feed) {
    return done(rounds().open(feed.id(), NOW)).orElseThrow();
  }

  /** Feeds that are due for a round. */
  protected final List<Long> due(long afterFeedId, int limit) {
    return rounds().due(afterFeedId, limit).stream().map(Rounds.Due::feedId).toList();
  }

  /** Whom a round serves that passes over no host. */
  protected final List<Subscription> recipients(long feedId, long afterId, int limit) {
    return subscriptions()
        .byIds(rounds().recipients(feedId, afterId, Set.of(), limit).recipients());
  }

  /** A round that served everyone but these. */
  protected final Round walk(FollowedFeed feed, Laggard... unserved) {
    Round round = openRound(feed);
    done(rounds().close(round, List.of(unserved)));
    return round;
  }

  protected static LaggardBuilder laggard(Subscription subscription, long cursor) {
    return LaggardBuilder.of(subscription, cursor, NOW);
  }

  /** The laggards that are due by the end of time. */
  protected final List<Laggard> allDue() {
    return laggardsDue(NOW.plus(Duration.ofDays(1000)));
  }

  /** The laggards that are due at a time, of all hosts, the longest due first. */
  protected final List<Laggard> laggardsDue(Instant now) {
    return laggards().hosts("", 1000).stream()
        .flatMap(host -> laggards().next(host.name(), 1000).stream())
        .filter(laggard -> !laggard.nextAttemptAt().isAfter(now))
        .sorted(Comparator.comparing(Laggard::nextAttemptAt))
        .toList();
  }

  /** When the first laggard of any host is due. */
  protected final Optional<Instant> nextDue() {
    return laggards().hosts("", 1000).stream()
        .map(Laggards.Host::nextDueAt)
        .min(Comparator.naturalOrder());
  }

  /** Starts {@code count} writes from several threads at once and waits for all of them. */
  protected static <T> List<T> concurrently(int count, IntFunction<CompletableFuture<T>> write) {
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    try {
      List<Callable<T>> writes = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int number = i;
        writes.add(() -> done(write.apply(number)));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> result : threads.invokeAll(writes)) {
        results.add(result.get());
      }
      return results;
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      threads.shutdownNow();
    }
  }

  /** A listener for {@link Store#onChange} that looks at the store each time it is told. */
  protected static <T> Signal<T> signal(Supplier<T> look) {
    return new Signal<>(look);
  }

  /** What it is told of must be there when it looks. */
  protected static final class Signal<T> implements Runnable {
    private final Supplier<T> look;
    private final List<T> looks = new ArrayList<>();

    private Signal(Supplier<T> look) {
      this.look = look;
    }

    @Override
    public void run() {
      T seen = look.get();
      synchronized (looks) {
        looks.add(seen);
        looks.notifyAll();
      }
    }

    /** Waits until it saw this when told; what was written before it listened may be told too. */
    public void awaits(T expected) {
      Instant end = Instant.now().plus(PATIENCE);
      synchronized (looks) {
        while (!looks.contains(expected)) {
          long millis = Duration.between(Instant.now(), end).toMillis();
          if (millis <= 0) {
            throw new AssertionError("never told with " + expected + " there, but with " + looks);
          }
          try {
            looks.wait(millis);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        }
      }
    }
  }
}
