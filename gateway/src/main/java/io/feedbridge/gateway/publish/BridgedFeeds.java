package io.feedbridge.gateway.publish;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.admission.Places;
import io.feedbridge.gateway.admission.Turns;
import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.bridge.BridgedUrl.Kind;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.address.WebAddress;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.NotOwnerException;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.subscribers.Baselines;
import io.feedbridge.websub.TopicUrl;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Feeds under URLs of the gateway, where they offer its hub and its cloud: so that a feed reader
 * that speaks either protocol gets push for a feed that offers the other one, or none. Thread-safe.
 */
public final class BridgedFeeds implements AutoCloseable {

  /** The most feeds that are followed for readers of bridged feeds alone. */
  static final int MAX_FEEDS = 10_000;

  /** Readers that wait for a first fetch. */
  static final int MAX_WAITING = 512;

  /** Places of {@link #MAX_WAITING} that only feeds at a host without a waiting reader can take. */
  static final int RESERVED = 128;

  /** Readers of one caller that wait for a first fetch. */
  static final int MAX_WAITING_OF_ONE = 64;

  /** Readers of feeds at one host that wait for a first fetch. */
  static final int MAX_WAITING_AT_HOST = 128;

  /** How long one waits for it. */
  static final Duration FETCH_WAIT = Duration.ofSeconds(20);

  /**
   * The greatest age of a served document; an older one, and one from before the newest event of
   * any feed, is checked again: a reader that was pinged must get the news.
   */
  static final Duration RECHECK = Duration.ofSeconds(2);

  /** How often a read of a bridged feed is noted in the store. */
  private static final Duration NOTED = Duration.ofHours(12);

  /**
   * How long the bytes of a feed are kept for a reader that does not return. They hold the entries
   * behind the newest ones.
   */
  private static final Duration BODY_KEPT = Duration.ofDays(30);

  /** How long a topic that could not be served is not tried again. */
  static final Duration REFUSED = Duration.ofMinutes(1);

  private static final String FETCHING = "the feed is being fetched: try again soon";

  private static final String MAKING =
      "long feeds that you requested are being rendered: try again soon";

  /** Bytes of documents that are kept. */
  static final long KEPT = 64L << 20;

  /** Requests of one caller that are looked up or rendered at once; there are more threads. */
  public static final int AT_ONCE = 2;

  /** Requests of one caller that wait behind these: one for each of its connections. */
  static final int WAITING_OF_ONE = 512;

  /** Requests of all callers that wait so: one for each connection. */
  static final int WAITING = 10_000;

  private static final int MAX_NOTED = 100_000;

  private final Store store;
  private final BridgePolicy policy;
  private final BridgedRendering rendering;
  private final Baselines baselines;
  private final Turns turns;
  private final Clock clock;
  private final Places waiting =
      new Places(
          MAX_WAITING_OF_ONE, new Permits.Bounds(MAX_WAITING_AT_HOST, MAX_WAITING, RESERVED, 0, 0));
  private final AtomicLong appends = new AtomicLong();
  private final Cache<Key, Kept> kept =
      Caffeine.newBuilder()
          .maximumWeight(KEPT)
          .weigher((Key key, Kept one) -> one.document.weight())
          .build();
  private final Cache<String, Boolean> noted;

  /** Topics whose bytes are kept. */
  private final Cache<String, Boolean> wanted;

  private final Cache<String, Answer> refused;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor where the store is read and documents of the usual size are made
   * @param oneByOne where long documents are made: of one thread, with a short queue
   */
  public BridgedFeeds(
      Store store,
      URI publicUrl,
      BridgePolicy policy,
      Executor executor,
      Executor oneByOne,
      Timer timer) {
    this.store = store;
    this.policy = policy;
    turns = new Turns(AT_ONCE, WAITING_OF_ONE, WAITING, executor);
    clock = timer.clock();
    BridgedDocuments documents = new BridgedDocuments(store.feeds(), new BridgedUrls(publicUrl));
    rendering =
        new BridgedRendering(
            (feed, kind) -> documents.of(feed, kind, clock.instant()),
            feed -> store.feeds().bodyLength(feed.id()) + store.feeds().newestLength(feed.id()),
            oneByOne);
    baselines = new Baselines(store, executor, timer);
    noted = lasting(NOTED);
    wanted = lasting(NOTED);
    refused = lasting(REFUSED);
  }

  private record Key(String topic, Kind kind) {}

  /** A document that was the newest at a time, after so many commits of events. */
  private record Kept(BridgedDocument document, Instant checkedAt, long appends) {}

  /** A request, and the commits of events before the feed was read for it. */
  private record Read(Key key, String caller, long appends) {}

  private <T> Cache<String, T> lasting(Duration time) {
    return Caffeine.newBuilder()
        .maximumSize(MAX_NOTED)
        .expireAfterWrite(time)
        .ticker(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos())
        .build();
  }

  /** The answer to a request for a bridged feed. */
  public sealed interface Answer {

    /** The feed. */
    record Found(BridgedDocument document) implements Answer {}

    /** There is no such bridged feed; the reason is for the caller. */
    record Missing(String reason) implements Answer {}

    /** The feed existed and is gone for good. */
    record Gone(String reason) implements Answer {}

    /** A first fetch is refused: the caller has asked for too many feeds that were not followed. */
    record TooMuch(Refusal refusal) implements Answer {}

    /** The feed exists, and the caller has too many others in the making. */
    record Later(String reason) implements Answer {}

    /** The feed may exist later; the reason is for the caller. */
    record NotNow(String reason) implements Answer {}
  }

  /** Begins to watch for first fetches and for events. */
  public void start() {
    store.onChange(Change.APPENDED, appends::incrementAndGet);
    baselines.start();
  }

  /**
   * The bridged feed of a topic. Does not block; from memory where that is fresh.
   *
   * @param topic normalised, and no bridged feed itself
   * @param caller the caller's key, as far as limits tell callers apart
   * @param beginning asked before the feed is followed for the caller; its answer is the refusal
   */
  public CompletionStage<Answer> get(
      String topic, Kind kind, String caller, Supplier<Optional<Refusal>> beginning) {
    if (store.privateFeeds().contains(topic)) {
      return CompletableFuture.completedFuture(unreadable(FollowedFeed.ASKS_FOR_CREDENTIALS));
    }
    Key key = new Key(topic, kind);
    Read read = new Read(key, caller, appends.get());
    Kept one = kept.getIfPresent(key);
    if (one != null
        && one.appends == read.appends
        && one.checkedAt.plus(RECHECK).isAfter(clock.instant())) {
      return CompletableFuture.completedFuture(new Answer.Found(one.document));
    }
    Answer refusal = refused.getIfPresent(topic);
    if (refusal != null) {
      return CompletableFuture.completedFuture(refusal);
    }
    if (policy == BridgePolicy.OFF) {
      return CompletableFuture.completedFuture(
          new Answer.Missing("this gateway has no bridged feeds (--bridge)"));
    }
    return turns
        .supply(caller, () -> look(read, store.feeds().byTopic(topic), beginning))
        .thenCompose(answer -> answer);
  }

  private CompletionStage<Answer> look(
      Read read, Optional<FollowedFeed> feed, Supplier<Optional<Refusal>> beginning) {
    Key key = read.key;
    Optional<FollowedFeed> followed = feed.filter(FollowedFeed::followed);
    if (policy == BridgePolicy.FOLLOWED || noted.getIfPresent(key.topic) != null) {
      if (followed.isPresent()) {
        return answer(read, followed.get());
      }
      if (policy == BridgePolicy.FOLLOWED) {
        return CompletableFuture.completedFuture(
            new Answer.Missing("the gateway does not follow this feed (--bridge)"));
      }
    }
    if (followed.isEmpty() && store.bridges().count() >= MAX_FEEDS) {
      return CompletableFuture.completedFuture(
          new Answer.NotNow("the gateway follows the maximum of feeds for readers"));
    }
    Optional<Refusal> refusal = followed.isEmpty() ? beginning.get() : Optional.empty();
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(new Answer.TooMuch(refusal.get()));
    }
    return store
        .bridges()
        .read(key.topic, clock.instant())
        .whenComplete((begun, failure) -> noteElsewhere(key, followed, failure))
        .thenCompose(begun -> fetched(begun, read.caller))
        .thenCompose(begun -> turns.supply(read.caller, () -> first(read, begun)))
        .thenCompose(answer -> answer)
        .exceptionally(BridgedFeeds::tooSlow);
  }

  /** The owner answers this request and notes it, so that this node answers the next ones. */
  private void noteElsewhere(
      Key key, Optional<FollowedFeed> followed, @Nullable Throwable failure) {
    if (failure != null && followed.isPresent() && NotOwnerException.isCauseOf(failure)) {
      noted.put(key.topic, true);
    }
  }

  /**
   * Answers from a feed that has just been read. A feed that cannot be served is no longer followed
   * for its bridged feed, and not fetched again for the next caller.
   */
  private CompletionStage<Answer> first(Read read, FollowedFeed feed) {
    return answer(read, feed).thenCompose(answer -> settled(read.key, feed, answer));
  }

  private CompletionStage<Answer> settled(Key key, FollowedFeed feed, Answer answer) {
    if (answer instanceof Answer.Found || answer instanceof Answer.Later) {
      noted.put(key.topic, true);
      return CompletableFuture.completedFuture(answer);
    }
    refused.put(key.topic, answer);
    return store.bridges().forget(feed.id(), clock.instant()).thenApply(done -> answer);
  }

  private CompletableFuture<FollowedFeed> fetched(FollowedFeed feed, String caller) {
    return feed.tried()
        ? CompletableFuture.completedFuture(feed)
        : waited(feed, caller, () -> baselines.await(feed, FETCH_WAIT));
  }

  private CompletableFuture<FollowedFeed> waited(
      FollowedFeed feed, String caller, Supplier<CompletableFuture<FollowedFeed>> fetch) {
    return waiting
        .tryEnter(caller, WebAddress.hostOf(feed.topic()))
        .map(place -> fetch.get().whenComplete((done, failure) -> place.close()))
        .orElseGet(() -> CompletableFuture.failedFuture(new TimeoutException()));
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

  private CompletionStage<Answer> answer(Read read, FollowedFeed feed) {
    Optional<Answer> none = whyNone(read.key, feed);
    if (none.isPresent()) {
      return CompletableFuture.completedFuture(none.get());
    }
    @Nullable Kept known = kept.getIfPresent(read.key);
    if (known != null && known.document.isOf(feed)) {
      return CompletableFuture.completedFuture(found(read, known.document));
    }
    String topic = read.key.topic;
    if (wanted.getIfPresent(topic) != null) {
      return rendered(read, feed);
    }
    wanted.put(topic, true);
    boolean isThere = store.feeds().bodyLength(feed.id()) > 0;
    Instant now = clock.instant();
    CompletableFuture<Boolean> asked =
        store
            .feeds()
            .keepBody(feed.id(), now.plus(BODY_KEPT), now)
            .handle(
                (done, failure) -> {
                  if (failure != null) {
                    wanted.invalidate(topic);
                  }
                  return failure == null;
                });
    return isThere
        ? rendered(read, feed)
        : asked
            .thenCompose(
                isKept ->
                    isKept
                        ? fetchedAgain(feed, now, read.caller)
                        : CompletableFuture.completedFuture(feed))
            .thenCompose(whole -> turns.supply(read.caller, () -> rendered(read, whole)))
            .thenCompose(answer -> answer);
  }

  /** The feed with its bytes. If they do not come, its newest entries are there in any case. */
  private CompletableFuture<FollowedFeed> fetchedAgain(
      FollowedFeed feed, Instant since, String caller) {
    return waited(feed, caller, () -> baselines.awaitFetch(feed, since, FETCH_WAIT))
        .exceptionally(tooSlow -> feed);
  }

  private CompletionStage<Answer> rendered(Read read, FollowedFeed feed) {
    return rendering
        .of(feed, read.key.kind, read.caller)
        .map(made -> made.<Answer>thenApply(document -> found(read, document)))
        .orElseGet(() -> CompletableFuture.completedFuture(new Answer.Later(MAKING)));
  }

  private Answer found(Read read, BridgedDocument document) {
    // The feed may have become private while its document was made.
    if (store.privateFeeds().contains(read.key.topic)) {
      return unreadable(FollowedFeed.ASKS_FOR_CREDENTIALS);
    }
    kept.put(read.key, new Kept(document, clock.instant(), read.appends));
    return new Answer.Found(document);
  }

  private Optional<Answer> whyNone(Key key, FollowedFeed feed) {
    if (store.privateFeeds().contains(key.topic)) {
      return Optional.of(unreadable(FollowedFeed.ASKS_FOR_CREDENTIALS));
    }
    if (feed.state() == FeedState.GONE) {
      kept.invalidate(key);
      return Optional.of(new Answer.Gone("the feed is gone"));
    }
    if (!feed.tried()) {
      return Optional.of(new Answer.NotNow(FETCHING));
    }
    if (!feed.hasBaseline()) {
      return Optional.of(unreadable(feed.fetched().message()));
    }
    return feed.kind() == FeedKind.FEED || TopicUrl.selection(feed.topic()).isPresent()
        ? Optional.empty()
        : Optional.of(new Answer.Missing("the URL does not serve a feed"));
  }

  private static Answer unreadable(@Nullable String why) {
    return new Answer.NotNow("the feed cannot be read: " + why);
  }

  @Override
  public void close() {
    baselines.close();
  }
}
