package io.feedbridge.gateway.publish;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.bridge.BridgedUrl.Kind;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.downstream.Baselines;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Store;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Feeds under URLs of the gateway, where they offer its hub and its cloud: so that a reader which
 * speaks either protocol gets push for a feed that offers the other one, or none. Thread-safe.
 */
public final class BridgedFeeds implements AutoCloseable {

  /** Feeds that are followed for their readers alone. */
  static final int MAX_FEEDS = 10_000;

  /** Readers that wait for a first fetch. */
  static final int MAX_WAITING = 256;

  /** How long one waits for it. */
  static final Duration FETCH_WAIT = Duration.ofSeconds(20);

  /** What is served is not older than this. */
  static final Duration RECHECK = Duration.ofSeconds(2);

  /** How often it is noted that somebody reads. */
  private static final Duration NOTED = Duration.ofHours(12);

  /** How long a topic that could not be served is not tried again. */
  static final Duration REFUSED = Duration.ofMinutes(1);

  private static final String FETCHING = "the feed is being fetched: try again soon";

  /** Bytes of documents that are kept. */
  private static final long KEPT = 64L << 20;

  private static final int MAX_NOTED = 100_000;

  private final Store store;
  private final BridgePolicy policy;
  private final BridgedDocuments documents;
  private final Baselines baselines;
  private final Executor executor;
  private final Clock clock;
  private final Semaphore waiting = new Semaphore(MAX_WAITING);
  private final Cache<Key, BridgedDocument> kept =
      Caffeine.newBuilder()
          .maximumWeight(KEPT)
          .weigher((Key key, BridgedDocument document) -> document.weight())
          .build();
  private final Cache<String, Boolean> noted;
  private final Cache<String, Answer> refused;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor where the store is read and documents are made
   */
  public BridgedFeeds(
      Store store, URI publicUrl, BridgePolicy policy, Executor executor, Timer timer) {
    this.store = store;
    this.policy = policy;
    this.executor = executor;
    clock = timer.clock();
    documents = new BridgedDocuments(store.feeds(), new BridgedUrls(publicUrl), publicUrl);
    baselines = new Baselines(store, executor, timer);
    noted = lasting(NOTED);
    refused = lasting(REFUSED);
  }

  private record Key(String topic, Kind kind) {}

  private <T> Cache<String, T> lasting(Duration time) {
    return Caffeine.newBuilder()
        .maximumSize(MAX_NOTED)
        .expireAfterWrite(time)
        .ticker(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos())
        .build();
  }

  /** What there is for a reader. */
  public sealed interface Answer {

    /** The feed. */
    record Found(BridgedDocument document) implements Answer {}

    /** There is none, for a reason to tell. */
    record Missing(String reason) implements Answer {}

    /** There was one, which is gone for good. */
    record Gone(String reason) implements Answer {}

    /** It would be followed for somebody who has too many followed. */
    record TooMuch(Refusal refusal) implements Answer {}

    /** There may be one later, for a reason to tell. */
    record NotNow(String reason) implements Answer {}
  }

  /** Begins to watch for first fetches. */
  public void start() {
    baselines.start();
  }

  /**
   * The bridged feed of a topic. Does not block; from memory where that is fresh.
   *
   * @param topic normalised, and no bridged feed itself
   * @param beginning asked before it is followed for the reader; its answer is why not
   */
  public CompletionStage<Answer> get(
      String topic, Kind kind, Supplier<Optional<Refusal>> beginning) {
    Key key = new Key(topic, kind);
    BridgedDocument document = kept.getIfPresent(key);
    if (document != null && document.checkedAt().plus(RECHECK).isAfter(clock.instant())) {
      return CompletableFuture.completedFuture(new Answer.Found(document));
    }
    Answer refusal = refused.getIfPresent(topic);
    if (refusal != null) {
      return CompletableFuture.completedFuture(refusal);
    }
    if (policy == BridgePolicy.OFF) {
      return CompletableFuture.completedFuture(
          new Answer.Missing("this gateway has no bridged feeds (--bridge)"));
    }
    return CompletableFuture.supplyAsync(() -> store.feeds().byTopic(topic), executor)
        .thenComposeAsync(feed -> look(key, feed, beginning), executor);
  }

  private CompletionStage<Answer> look(
      Key key, Optional<FollowedFeed> feed, Supplier<Optional<Refusal>> beginning) {
    Optional<FollowedFeed> followed = feed.filter(FollowedFeed::followed);
    if (policy == BridgePolicy.FOLLOWED || noted.getIfPresent(key.topic) != null) {
      if (followed.isPresent()) {
        return CompletableFuture.completedFuture(answer(key, followed.get()));
      }
      if (policy == BridgePolicy.FOLLOWED) {
        return CompletableFuture.completedFuture(
            new Answer.Missing("nobody follows this feed here (--bridge)"));
      }
    }
    if (followed.isEmpty() && store.bridges().count() >= MAX_FEEDS) {
      return CompletableFuture.completedFuture(
          new Answer.NotNow("the gateway follows as many feeds for readers as it can"));
    }
    Optional<Refusal> refusal = followed.isEmpty() ? beginning.get() : Optional.empty();
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(new Answer.TooMuch(refusal.get()));
    }
    return store
        .bridges()
        .read(key.topic, clock.instant())
        .thenCompose(this::fetched)
        .thenComposeAsync(begun -> first(key, begun), executor)
        .exceptionally(BridgedFeeds::tooSlow);
  }

  /** What cannot be served is not followed for it, and not fetched again for the next reader. */
  private CompletionStage<Answer> first(Key key, FollowedFeed feed) {
    Answer answer = answer(key, feed);
    if (answer instanceof Answer.Found) {
      noted.put(key.topic, true);
      return CompletableFuture.completedFuture(answer);
    }
    refused.put(key.topic, answer);
    return store.bridges().forget(feed.id(), clock.instant()).thenApply(done -> answer);
  }

  private CompletableFuture<FollowedFeed> fetched(FollowedFeed feed) {
    if (feed.tried()) {
      return CompletableFuture.completedFuture(feed);
    }
    if (!waiting.tryAcquire()) {
      return CompletableFuture.failedFuture(new TimeoutException());
    }
    return baselines.await(feed, FETCH_WAIT).whenComplete((done, failure) -> waiting.release());
  }

  private static Answer tooSlow(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof TimeoutException) {
      return new Answer.NotNow(FETCHING);
    }
    throw new CompletionException(cause);
  }

  private Answer answer(Key key, FollowedFeed feed) {
    if (feed.state() == FeedState.GONE) {
      kept.invalidate(key);
      return new Answer.Gone("the feed is gone");
    }
    if (!feed.tried()) {
      return new Answer.NotNow(FETCHING);
    }
    if (!feed.hasBaseline()) {
      return new Answer.NotNow("the feed cannot be read: " + feed.fetched().message());
    }
    if (feed.kind() != FeedKind.FEED) {
      return new Answer.Missing("what is there is no feed");
    }
    @Nullable BridgedDocument known = kept.getIfPresent(key);
    BridgedDocument document =
        known != null && known.isOf(feed)
            ? known.checked(clock.instant())
            : documents.of(feed, key.kind, clock.instant());
    kept.put(key, document);
    return new Answer.Found(document);
  }

  @Override
  public void close() {
    baselines.close();
  }
}
