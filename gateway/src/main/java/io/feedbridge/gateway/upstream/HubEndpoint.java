package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.CallException;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.store.Following;
import io.feedbridge.websub.HubAnswer;
import io.feedbridge.websub.RenewalPolicy;
import io.feedbridge.websub.SubscriptionForm;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Subscribing at WebSub and PubSubHubbub hubs of every age (rules S3, S4). */
final class HubEndpoint implements Endpoint {

  /** Hubs that one request may be sent on to by 307 and 308. */
  private static final int MAX_MOVES = 3;

  private static final int MAX_ANSWER = 16 * 1024;

  /** What a hub says that will ask, or has asked: a page that takes any form says 200. */
  private static final Set<Integer> HUBS_ANSWERS = Set.of(202, 204);

  private final Sender client;
  private final UpstreamUrls urls;
  private final String userAgent;

  HubEndpoint(Sender client, UpstreamUrls urls, String userAgent) {
    this.client = client;
    this.urls = urls;
    this.userAgent = userAgent;
  }

  @Override
  public CompletableFuture<Answer> subscribe(Following following) {
    SubscriptionForm form =
        SubscriptionForm.subscribe(
            urls.callback(following),
            following.topic(),
            urls.verifyToken(following),
            RenewalPolicy.LONGEST_LEASE,
            Optional.ofNullable(following.secret()));
    return post(following.endpoint(), form, MAX_MOVES);
  }

  @Override
  public CompletableFuture<Void> unsubscribe(Following following) {
    SubscriptionForm form =
        SubscriptionForm.unsubscribe(
            urls.callback(following), following.topic(), urls.verifyToken(following));
    return post(following.endpoint(), form, MAX_MOVES).thenAccept(answer -> {});
  }

  private CompletableFuture<Answer> post(String hub, SubscriptionForm form, int moves) {
    Call call =
        Call.post(hub, Purpose.FETCH, form.body().getBytes(StandardCharsets.UTF_8))
            .header("Content-Type", SubscriptionForm.CONTENT_TYPE)
            .header("User-Agent", userAgent)
            .truncateBodyAt(MAX_ANSWER)
            .unlessWanted(reply -> HUBS_ANSWERS.contains(reply.status()))
            .build();
    return client
        .send(call)
        .thenCompose(reply -> read(hub, form, moves, reply))
        .exceptionally(HubEndpoint::unreachable);
  }

  private CompletableFuture<Answer> read(
      String hub, SubscriptionForm form, int moves, Reply reply) {
    HubAnswer answer = HubAnswer.of(reply.status(), reply.headers().first("Location").orElse(null));
    if (answer instanceof HubAnswer.Accepted) {
      return done(new Answer.Accepted());
    }
    if (answer instanceof HubAnswer.Moved moved && moves > 0) {
      Optional<URI> next = moved.from(URI.create(hub));
      if (next.isPresent()) {
        return post(next.get().toString(), form, moves - 1);
      }
    }
    return done(
        new Answer.Refused(
            "the hub answered with status %d: %s"
                .formatted(
                    reply.status(), Said.of(new String(reply.body(), StandardCharsets.UTF_8)))));
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
    return new Answer.Refused(Said.of(String.valueOf(cause.getMessage())), sent);
  }

  private static CompletableFuture<Answer> done(Answer answer) {
    return CompletableFuture.completedFuture(answer);
  }
}
