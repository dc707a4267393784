package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.rsscloud.Registration;
import io.feedbridge.rsscloud.RssCloud;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.GuardQuestion;
import io.feedbridge.websub.TopicUrl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Registers rssCloud aggregators: each feed must be readable, its guard must allow it and the
 * handler must pass its test before anything is recorded, and the answer waits for both. Safe for
 * use by several threads.
 */
public final class CloudRegistrar implements AutoCloseable {

  /**
   * How long a registration waits for a feed's first fetch. That is durably asked for: a handler
   * that passes its test is registered before it, so that neither a slow origin nor this gateway's
   * own queue is a reason to refuse.
   */
  static final Duration FETCH_WAIT = Duration.ofSeconds(4);

  /** How soon a registration is answered. */
  private static final Duration ANSWER_WITHIN = Duration.ofMillis(9_500);

  private static final Duration SHORTEST_TEST = Duration.ofSeconds(1);

  private final Store store;
  private final ActivityLog activity;
  private final BridgedUrls bridges;
  private final Policies policies;
  private final GatewayRings rings;
  private final TopicGuards guards;
  private final Baselines baselines;
  private final Clock clock;
  private final HandlerTests tests;
  private final Executor executor;
  private volatile Consumer<String> onConfirmed = callback -> {};

  /** How many registrations under way need a topic, which may have no subscriber yet. */
  private final Map<String, Integer> pending = new ConcurrentHashMap<>();

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor where the store is read
   * @param random for challenges: unguessable
   */
  public CloudRegistrar(
      Store store,
      OutboundClient client,
      ActivityLog activity,
      BridgedUrls bridges,
      Policies policies,
      Executor executor,
      Timer timer,
      RandomGenerator random) {
    this.store = store;
    this.activity = activity;
    this.bridges = bridges;
    this.policies = policies;
    rings = new GatewayRings(store, bridges.base());
    guards = new TopicGuards(client);
    this.baselines = new Baselines(store, executor, timer);
    this.clock = timer.clock();
    this.executor = executor;
    tests = new HandlerTests(client, activity, clock, random);
  }

  /** Sets a listener that is called with each callback whose handler passed its test. */
  public void onConfirmed(Consumer<String> listener) {
    onConfirmed = listener;
  }

  /** Begins to watch for first fetches. */
  public void start() {
    baselines.start();
  }

  /**
   * Registers a handler for each of its feeds; each stands for itself.
   *
   * @param path of the gateways behind an aggregator that is one
   * @return the result once every feed is durably registered or refused; fails only if the store
   *     does
   */
  public CompletableFuture<NotifyResult> register(Registration registration, GatewayPath path) {
    Map<String, CompletableFuture<Optional<String>>> refusals = new LinkedHashMap<>();
    for (String url : registration.urls()) {
      refusals.put(
          url,
          register(registration, url, path)
              .thenApply(refusal -> noted(registration, url, refusal)));
    }
    return CompletableFuture.allOf(refusals.values().toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              Map<String, String> refused = new LinkedHashMap<>();
              refusals.forEach(
                  (url, refusal) -> refusal.join().ifPresent(why -> refused.put(url, why)));
              return NotifyResult.of(refused);
            });
  }

  private Optional<String> noted(Registration registration, String url, Optional<String> refusal) {
    activity.note(
        Kind.REGISTRATION,
        url,
        registration.callback(),
        refusal.isEmpty(),
        registration.protocol().wireName() + ": " + refusal.orElse("registered"));
    return refusal;
  }

  /** Why this feed was refused; empty if it was registered. */
  private CompletableFuture<Optional<String>> register(
      Registration registration, String url, GatewayPath path) {
    String topic;
    try {
      String normal = TopicUrl.normalize("its URL", url);
      topic = bridges.find(normal).map(BridgedUrl::topic).orElse(normal);
    } catch (BadHubRequestException | BadBridgeException e) {
      return CompletableFuture.completedFuture(Optional.of(String.valueOf(e.getMessage())));
    }
    if (!policies.permitCallback(registration.callback())) {
      return refused(
          "is not registered: the address of your handler is refused: "
              + Policies.CALLBACK_REFUSED);
    }
    Optional<String> refusal = policies.strangerRefusal(topic);
    if (refusal.isPresent()) {
      return refused("is refused: " + refusal.get());
    }
    if (store.privateFeeds().contains(topic)) {
      return refused("cannot be read: " + FollowedFeed.ASKS_FOR_CREDENTIALS);
    }
    // Counted before it is followed, so that no other registration lets go of it in between.
    pending.merge(topic, 1, Integer::sum);
    CompletableFuture<FollowedFeed> followed = store.feeds().follow(topic, clock.instant());
    CompletableFuture<Optional<String>> admitted =
        followed.thenCompose(feed -> admit(registration, url, path, feed));
    return admitted
        .handle((answer, failure) -> failure == null)
        .thenCompose(done -> letGo(topic, followed))
        .thenCompose(gone -> admitted);
  }

  private CompletableFuture<Optional<String>> admit(
      Registration registration, String url, GatewayPath path, FollowedFeed followed) {
    Instant latest = clock.instant().plus(ANSWER_WITHIN);
    return baselines
        .await(followed, FETCH_WAIT)
        .exceptionally(failure -> untried(followed, failure))
        .thenComposeAsync(
            feed -> {
              if (feed.tried() && (!feed.hasBaseline() || feed.state() == FeedState.GONE)) {
                return refused("cannot be read: " + feed.fetched().message());
              }
              if (feed.tried() && !hasNews(feed)) {
                return refused("is neither a feed nor an OPML list");
              }
              if (rings.closes(feed, registration.callback(), path)) {
                return store
                    .subscriptions()
                    .end(
                        feed.id(),
                        Protocol.RSSCLOUD,
                        registration.callback(),
                        GatewayPath.RING,
                        clock.instant())
                    .thenCompose(ended -> refused("is not registered: " + GatewayPath.RING));
              }
              return guardsRefusal(registration, url, feed, latest)
                  .thenComposeAsync(
                      refusal ->
                          refusal.isPresent()
                              ? CompletableFuture.completedFuture(refusal)
                              : tested(registration, url, path, feed, latest),
                      executor);
            },
            executor);
  }

  private CompletableFuture<Optional<String>> guardsRefusal(
      Registration registration, String url, FollowedFeed feed, Instant latest) {
    String guard = feed.advertised().guard();
    if (guard == null) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return guards
        .ask(
            guard,
            new GuardQuestion(url, registration.callback(), RssCloud.REGISTRATION_LIFETIME),
            store.subscriptions().isActive(feed.topic(), registration.callback()),
            left(latest))
        .thenApply(
            verdict ->
                verdict instanceof GuardQuestion.Denied denied
                    ? Optional.of("is refused by its publisher: " + denied.reason())
                    : verdict instanceof GuardQuestion.Unanswered unanswered
                        ? Optional.of("is not registered: " + unanswered.reason())
                        : Optional.<String>empty());
  }

  private Duration left(Instant latest) {
    Duration left = Duration.between(clock.instant(), latest);
    return left.compareTo(SHORTEST_TEST) < 0 ? SHORTEST_TEST : left;
  }

  private CompletableFuture<Optional<String>> tested(
      Registration registration, String url, GatewayPath path, FollowedFeed feed, Instant latest) {
    return test(registration, url, feed, latest)
        .thenCompose(
            result ->
                result.refusal().isPresent()
                    ? CompletableFuture.completedFuture(result.refusal())
                    : record(registration, url, path, feed, result.namespace()));
  }

  /** A feed whose first fetch has not come to anything yet stays as it was. */
  private static FollowedFeed untried(FollowedFeed followed, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof TimeoutException) {
      return followed;
    }
    throw new CompletionException(cause);
  }

  private CompletableFuture<HandlerTests.Result> test(
      Registration registration, String url, FollowedFeed feed, Instant latest) {
    // Requests of strangers for other handlers of the host must not prevent a renewal.
    boolean renewal = store.subscriptions().isActive(feed.topic(), registration.callback());
    return tests
        .run(registration, url, renewal, clock.instant().plus(left(latest)))
        .whenComplete(
            (result, failure) -> {
              if (failure == null && result.refusal().isEmpty()) {
                onConfirmed.accept(registration.callback());
              }
            });
  }

  /**
   * Whether it is a feed, or a list, whose aggregators are told when the list has changed, or a
   * selected part of a document.
   */
  private boolean hasNews(FollowedFeed feed) {
    return feed.kind() == FeedKind.FEED
        || TopicUrl.selection(feed.topic()).isPresent()
        || isOpml(feed);
  }

  private boolean isOpml(FollowedFeed feed) {
    return store.feeds().body(feed.id()).filter(body -> Opml.isOne(body.bytes())).isPresent();
  }

  private CompletableFuture<Optional<String>> record(
      Registration registration,
      String url,
      GatewayPath path,
      FollowedFeed feed,
      String namespace) {
    Terms.Procedure procedure =
        registration.protocol().isRest()
            ? null
            : new Terms.Procedure(
                registration.protocol().wireName(),
                registration.notifyProcedure(),
                namespace.isEmpty() ? null : namespace);
    Terms terms =
        new Terms(
                url, Format.LIGHT, null, "", true, false, RssCloud.REGISTRATION_LIFETIME, procedure)
            .on(path.ids().isEmpty() ? null : path);
    return store
        .subscriptions()
        .register(feed.id(), registration.callback(), terms, clock.instant())
        .thenApply(subscription -> Optional.empty());
  }

  /** The last registration to end that needed the topic lets go of it if none came to anything. */
  private CompletableFuture<Void> letGo(String topic, CompletableFuture<FollowedFeed> followed) {
    pending.computeIfPresent(topic, (same, count) -> count == 1 ? null : count - 1);
    return pending.containsKey(topic) || followed.isCompletedExceptionally()
        ? CompletableFuture.completedFuture(null)
        : followed.thenCompose(feed -> store.feeds().unfollowIfUnused(feed.id(), clock.instant()));
  }

  private static CompletableFuture<Optional<String>> refused(String why) {
    return CompletableFuture.completedFuture(Optional.of(why));
  }

  @Override
  public void close() {
    baselines.close();
  }
}
