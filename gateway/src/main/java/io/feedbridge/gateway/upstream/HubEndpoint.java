package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.RetryAfter;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.schedule.SteadyClock;
import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.websub.HubAnswer;
import io.feedbridge.websub.RenewalPolicy;
import io.feedbridge.websub.SubscriptionForm;
import io.feedbridge.websub.discovery.HttpReference;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** Subscribing at WebSub and PubSubHubbub hubs of every age (rules S3, S4). */
final class HubEndpoint implements UpstreamEndpoint {

  /** Hubs that one request may be sent on to by 307 and 308. */
  private static final int MAX_MOVES = 3;

  private static final int MAX_ANSWER = 16 * 1024;

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERRORS = 500;

  /**
   * The statuses of a hub that will verify, or has verified: a page that takes any form answers
   * 200.
   */
  private static final Set<Integer> HUBS_ANSWERS = Set.of(202, 204);

  private final ToldPaths paths;
  private final Sender client;
  private final Executor executor;
  private final Clock clock;
  private final UpstreamUrls urls;

  /**
   * @param executor where the store is read
   */
  HubEndpoint(ToldPaths paths, Sender client, Executor executor, Clock clock, UpstreamUrls urls) {
    this.paths = paths;
    this.client = client;
    this.executor = executor;
    this.clock = clock;
    this.urls = urls;
  }

  @Override
  public CompletableFuture<Answer> subscribe(UpstreamSubscription following) {
    SubscriptionForm form =
        SubscriptionForm.subscribe(
            urls.callback(following),
            following.topic(),
            urls.verifyToken(following),
            RenewalPolicy.LONGEST_LEASE,
            // An earlier version agreed on secrets at every hub.
            Optional.ofNullable(following.secret())
                .filter(secret -> Transport.keepsSecrets(following.endpoint())));
    return CompletableFuture.supplyAsync(() -> paths.tell(following), executor)
        .thenCompose(path -> post(following.endpoint(), form, Optional.of(path)));
  }

  @Override
  public CompletableFuture<Answer> unsubscribe(UpstreamSubscription following) {
    SubscriptionForm form =
        SubscriptionForm.unsubscribe(
            urls.callback(following), following.topic(), urls.verifyToken(following));
    return post(following.endpoint(), form, Optional.empty());
  }

  /** Asks a hub, with the gateways behind this one if they matter. */
  CompletableFuture<Answer> post(String hub, SubscriptionForm form, Optional<GatewayPath> path) {
    return post(hub, form, path, MAX_MOVES);
  }

  private CompletableFuture<Answer> post(
      String hub, SubscriptionForm form, Optional<GatewayPath> path, int moves) {
    Call.Builder call =
        Call.post(hub, Purpose.FETCH, form.body().getBytes(StandardCharsets.UTF_8))
            .header("Content-Type", SubscriptionForm.CONTENT_TYPE)
            .truncateBodyAt(MAX_ANSWER)
            .unlessWanted(reply -> HUBS_ANSWERS.contains(reply.status()));
    path.ifPresent(gateways -> call.header(GatewayPath.HEADER, gateways.header()));
    return client
        .send(call.build())
        .thenCompose(reply -> read(hub, form, path, moves, reply))
        .exceptionally(HubEndpoint::unreachable);
  }

  private CompletableFuture<Answer> read(
      String hub, SubscriptionForm form, Optional<GatewayPath> path, int moves, Reply reply) {
    HubAnswer answer = HubAnswer.of(reply.status(), reply.headers().first("Location").orElse(null));
    if (answer instanceof HubAnswer.Accepted) {
      return done(new Answer.Accepted());
    }
    if (answer instanceof HubAnswer.Moved moved && moves > 0) {
      Optional<URI> next = HttpReference.absolute(hub).flatMap(moved::from);
      if (next.isPresent()
          && form.secret().isPresent()
          && !Transport.keepsSecrets(next.get().toString())) {
        return done(
            new Answer.Refused(
                "the hub leads on to %s, where others could read the secret"
                    .formatted(next.get())));
      }
      if (next.isPresent()) {
        return post(next.get().toString(), form, path, moves - 1);
      }
    }
    String reason =
        "the hub answered with status %d: %s"
            .formatted(
                reply.status(), Truncation.of(new String(reply.body(), StandardCharsets.UTF_8)));
    return done(
        reply.status() == TOO_MANY_REQUESTS || reply.status() >= SERVER_ERRORS
            ? new Answer.Busy(reason, RetryAfter.of(reply, SteadyClock.systemOf(clock).instant()))
            : new Answer.Refused(reason));
  }

  static Answer unreachable(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof CallException call && call.failure() == CallException.Failure.CLOSED) {
      return new Answer.CutOff();
    }
    boolean sent =
        !(cause instanceof CallException call && call.failure() == CallException.Failure.TOO_OFTEN);
    return new Answer.Refused(
        Truncation.of(String.valueOf(cause.getMessage())),
        sent ? Answer.By.SILENCE : Answer.By.GATEWAY);
  }

  private static CompletableFuture<Answer> done(Answer answer) {
    return CompletableFuture.completedFuture(answer);
  }
}
