package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.upstream.UpstreamEndpoint.Answer;
import io.feedbridge.rsscloud.BadResultException;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.websub.ExpectedIntent;
import io.feedbridge.websub.IntentRequest;
import io.feedbridge.websub.PublishForm;
import io.feedbridge.websub.RandomToken;
import io.feedbridge.websub.SubscriptionForm;
import io.feedbridge.websub.SubscriptionMode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions at hubs and clouds for a test, which the store does not know and which end soon
 * after. They make the requests of real ones. Safe for use by several threads.
 */
public final class TrialSubscriptions {

  /** The lease of a trial, for hubs that cannot be told of its end. */
  private static final Duration LEASE = Duration.ofHours(1);

  private static final int MAX_ANSWER = 16 * 1024;
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String REGISTRATION = "pleaseNotify";
  private static final String PING = "ping";

  private final HubEndpoint hubs;
  private final CloudEndpoint clouds;
  private final Sender client;
  private final UpstreamUrls urls;
  private final Clock clock;

  /**
   * Wires the part.
   *
   * @param executor where the store is read
   */
  public TrialSubscriptions(
      Store store, Sender client, Executor executor, Timer timer, UpstreamUrls urls) {
    ToldPaths paths = new ToldPaths(store.subscriptions(), urls.publicUrl().toString());
    this.client = client;
    this.urls = urls;
    clock = timer.clock();
    hubs = new HubEndpoint(paths, client, executor, clock, urls);
    clouds = new CloudEndpoint(store, paths, client, executor, clock, urls);
  }

  /**
   * A subscription for a test.
   *
   * @param endpoint the hub, or the cloud's registration URL
   * @param topic the URL by which the endpoint knows the feed
   * @param token the unguessable last segment of the callback
   * @param secret the key that the hub is to sign with; absent for clouds, and for hubs over http
   * @param cloud the advertisement of a cloud; absent for hubs
   */
  public record Trial(
      UpstreamSubscription.Kind kind,
      String endpoint,
      String topic,
      String token,
      @Nullable String secret,
      Advertised.@Nullable Cloud cloud) {

    /**
     * A subscription on a way to a feed.
     *
     * @param advertised by the feed
     * @param random for the token and the secret: unguessable
     */
    public static Trial of(Transport way, Advertised advertised, RandomGenerator random) {
      return new Trial(
          way.kind(),
          way.endpoint(),
          way.topic(),
          RandomToken.next(random),
          way.newSecret(random),
          advertised.clouds().stream()
              .filter(
                  cloud ->
                      way.kind() == UpstreamSubscription.Kind.RSSCLOUD
                          && cloud.url().equals(way.endpoint()))
              .findFirst()
              .orElse(null));
    }

    @Override
    public String toString() {
      return "Trial[%s %s]".formatted(kind, endpoint);
    }
  }

  /**
   * The answer to a request.
   *
   * @param accepted whether the endpoint accepts it
   * @param confirmed whether nothing more is to come, as a verification is
   * @param reason why it does not accept it; empty otherwise
   */
  public record Outcome(boolean accepted, boolean confirmed, String reason) {}

  /** Subscribes. The endpoint may call back before it answers. Never completes exceptionally. */
  public CompletableFuture<Outcome> subscribe(Trial trial) {
    UpstreamSubscription following = following(trial);
    CompletableFuture<Answer> answer =
        trial.cloud() == null
            ? hubs.post(
                trial.endpoint(),
                SubscriptionForm.subscribe(
                    urls.callback(following),
                    trial.topic(),
                    urls.verifyToken(following),
                    LEASE,
                    Optional.ofNullable(trial.secret())),
                Optional.empty())
            : clouds.subscribe(following, trial.cloud());
    return answer.thenApply(TrialSubscriptions::outcome);
  }

  private static Outcome outcome(Answer answer) {
    if (answer instanceof Answer.Accepted) {
      return new Outcome(true, false, "");
    }
    if (answer instanceof Answer.Registered) {
      return new Outcome(true, true, "");
    }
    if (answer instanceof Answer.Refused refused) {
      return new Outcome(false, false, refused.reason());
    }
    if (answer instanceof Answer.Busy busy) {
      return new Outcome(false, false, busy.reason());
    }
    return new Outcome(
        false, false, answer instanceof Answer.Ended ended ? ended.reason() : "the gateway stops");
  }

  /**
   * The URL at which an endpoint takes pings: a hub's own, and beside the registrations of a cloud
   * by custom; empty for a cloud whose paths follow no custom.
   */
  public static Optional<String> pingUrl(Trial trial) {
    if (trial.cloud() == null) {
      return Optional.of(trial.endpoint());
    }
    String url = trial.endpoint();
    return url.endsWith("/" + REGISTRATION)
        ? Optional.of(url.substring(0, url.length() - REGISTRATION.length()) + PING)
        : Optional.empty();
  }

  /** Pings an endpoint at its {@link #pingUrl}. Never completes exceptionally. */
  public CompletableFuture<Outcome> ping(Trial trial, String url) {
    boolean hub = trial.cloud() == null;
    String body =
        hub
            ? new PublishForm(List.of(trial.topic())).body()
            : "url=" + URLEncoder.encode(trial.topic(), StandardCharsets.UTF_8);
    return client
        .send(
            Call.post(url, Purpose.FETCH, body.getBytes(StandardCharsets.UTF_8))
                .header("Content-Type", FORM)
                .header("Accept", hub ? "*/*" : "text/xml")
                .truncateBodyAt(MAX_ANSWER)
                .unlessWanted(Reply::successful)
                .build())
        .thenApply(reply -> hub ? ofHub(reply) : ofCloud(reply))
        .exceptionally(failure -> outcome(HubEndpoint.unreachable(failure)));
  }

  private static Outcome ofHub(Reply reply) {
    return reply.successful()
        ? new Outcome(true, true, "")
        : new Outcome(
            false,
            true,
            "it answered with status %d: %s"
                .formatted(
                    reply.status(),
                    Truncation.of(new String(reply.body(), StandardCharsets.UTF_8))));
  }

  /** A ping has an answer of the form of a registration's. */
  private static Outcome ofCloud(Reply reply) {
    try {
      NotifyResult result = NotifyResult.parse(reply.body());
      return new Outcome(result.success(), true, Truncation.of(result.msg()));
    } catch (BadResultException e) {
      return new Outcome(
          false,
          true,
          "it answered with status %d, and %s".formatted(reply.status(), e.getMessage()));
    }
  }

  /** Ends a subscription at a hub; a cloud has no such request. Never completes exceptionally. */
  public CompletableFuture<Void> unsubscribe(Trial trial) {
    return trial.cloud() == null
        ? hubs.unsubscribe(following(trial)).thenAccept(answer -> {})
        : CompletableFuture.completedFuture(null);
  }

  /** Whether a hub's question is about the request of a trial. */
  public boolean isExpected(Trial trial, SubscriptionMode mode, IntentRequest.Verify question) {
    return question.matches(
        new ExpectedIntent(mode, trial.topic(), urls.verifyToken(following(trial))));
  }

  private UpstreamSubscription following(Trial trial) {
    return new UpstreamSubscription(
        0,
        0,
        trial.kind(),
        trial.endpoint(),
        trial.topic(),
        trial.token(),
        trial.secret(),
        UpstreamSubscription.State.REQUESTED,
        null,
        clock.instant(),
        0,
        null);
  }
}
