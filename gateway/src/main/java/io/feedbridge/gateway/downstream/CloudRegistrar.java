package io.feedbridge.gateway.downstream;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Format;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Terms;
import io.feedbridge.rsscloud.HandlerTest;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.rsscloud.Registration;
import io.feedbridge.rsscloud.RssCloud;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Registers rssCloud aggregators: each feed must be readable and the handler must pass its test
 * before anything is recorded, and the answer waits for both. Safe for use by several threads.
 */
public final class CloudRegistrar implements AutoCloseable {

  /** How long a registration waits for a feed's first fetch. */
  static final Duration FETCH_WAIT = Duration.ofSeconds(35);

  private static final Duration TEST_TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_ANSWER = 64 * 1024;

  private final Store store;
  private final OutboundClient client;
  private final ActivityLog activity;
  private final BridgedUrls bridges;
  private final Policies policies;
  private final Baselines baselines;
  private final Clock clock;
  private final RandomGenerator random;
  private final String userAgent;

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
      RandomGenerator random,
      String userAgent) {
    this.store = store;
    this.client = client;
    this.activity = activity;
    this.bridges = bridges;
    this.policies = policies;
    this.baselines = new Baselines(store, executor, timer);
    this.clock = timer.clock();
    this.random = random;
    this.userAgent = userAgent;
  }

  /** Begins to watch for first fetches. */
  public void start() {
    baselines.start();
  }

  /**
   * Registers a handler for each of its feeds; each stands for itself.
   *
   * @return the result once every feed is durably registered or refused; fails only if the store
   *     does
   */
  public CompletableFuture<NotifyResult> register(Registration registration) {
    Map<String, CompletableFuture<Optional<String>>> refusals = new LinkedHashMap<>();
    for (String url : registration.urls()) {
      refusals.put(
          url, register(registration, url).thenApply(refusal -> noted(registration, url, refusal)));
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
  private CompletableFuture<Optional<String>> register(Registration registration, String url) {
    String topic;
    try {
      String normal = TopicUrl.normalize(url);
      topic = bridges.find(normal).map(BridgedUrl::topic).orElse(normal);
    } catch (BadHubRequestException | BadBridgeException e) {
      return CompletableFuture.completedFuture(Optional.of(String.valueOf(e.getMessage())));
    }
    if (!policies.permitCallback(registration.callback())) {
      return refused(
          "is not registered: your handler's address is refused, " + Policies.CALLBACK_REFUSED);
    }
    if (!policies.permitTopic(topic)) {
      return refused("is refused: " + Policies.TOPIC_REFUSED);
    }
    // Counted before it is followed, so that no other registration lets go of it in between.
    pending.merge(topic, 1, Integer::sum);
    CompletableFuture<FollowedFeed> followed = store.feeds().follow(topic, clock.instant());
    CompletableFuture<Optional<String>> refusal =
        followed
            .thenCompose(feed -> admit(registration, url, feed))
            .exceptionally(CloudRegistrar::tooSlow);
    return refusal
        .handle((answer, failure) -> failure == null)
        .thenCompose(admitted -> letGo(topic, followed))
        .thenCompose(gone -> refusal);
  }

  private CompletableFuture<Optional<String>> admit(
      Registration registration, String url, FollowedFeed followed) {
    return baselines
        .await(followed, FETCH_WAIT)
        .thenCompose(
            feed -> {
              if (!feed.hasBaseline() || feed.state() == FeedState.GONE) {
                return refused("cannot be read: " + feed.fetched().message());
              }
              if (feed.kind() != FeedKind.FEED) {
                return refused("is not a feed");
              }
              return test(registration, url)
                  .thenCompose(
                      refusal ->
                          refusal.isPresent()
                              ? CompletableFuture.completedFuture(refusal)
                              : record(registration, url, feed));
            });
  }

  private CompletableFuture<Optional<String>> test(Registration registration, String url) {
    HandlerTest test = HandlerTest.of(registration, url, HandlerTest.newChallenge(random));
    Call.Builder call =
        test.method().equals("GET")
            ? Call.get(test.url(), Purpose.CALLBACK)
            : Call.post(test.url(), Purpose.CALLBACK, test.body());
    test.contentType().ifPresent(type -> call.header("Content-Type", type));
    test.soapAction().ifPresent(action -> call.header("SOAPAction", action));
    return client
        .send(
            call.header("User-Agent", userAgent)
                .timeout(TEST_TIMEOUT)
                .truncateBodyAt(MAX_ANSWER)
                .unlessWanted(reply -> judge(test, reply, null).isEmpty())
                .build())
        .handle(
            (reply, failure) -> {
              Optional<String> refusal = judge(test, reply, failure);
              activity.note(
                  Kind.TEST,
                  url,
                  registration.callback(),
                  refusal.isEmpty(),
                  refusal.orElse("passed"));
              return refusal;
            });
  }

  private static Optional<String> judge(
      HandlerTest test, @Nullable Reply reply, @Nullable Throwable failure) {
    if (reply == null) {
      return Optional.of(
          "your handler could not be reached: "
              + (failure == null ? "unknown reason" : failure.getMessage()));
    }
    return test.failure(
            reply.status(), reply.body(), reply.headers().first("Content-Type").orElse(null))
        .map(why -> "your handler failed its test: " + why);
  }

  private CompletableFuture<Optional<String>> record(
      Registration registration, String url, FollowedFeed feed) {
    Terms.Procedure procedure =
        registration.protocol().isRest()
            ? null
            : new Terms.Procedure(
                registration.protocol().wireName(), registration.notifyProcedure());
    Terms terms =
        new Terms(
            url, Format.LIGHT, null, "", true, false, RssCloud.REGISTRATION_LIFETIME, procedure);
    return store
        .subscriptions()
        .register(feed.id(), registration.callback(), terms, clock.instant())
        .thenApply(subscription -> Optional.empty());
  }

  private static Optional<String> tooSlow(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof TimeoutException) {
      return Optional.of("cannot be read: it took too long");
    }
    throw new CompletionException(cause);
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
