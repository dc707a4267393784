package io.feedbridge.gateway.delivery.webhooks;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.delivery.send.DeliveryRecord;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.targets.Announcement;
import io.feedbridge.websub.RandomToken;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Single messages to endpoints, whatever their state is, at an operator's request. No cursor moves,
 * no failure counts, and no answer disables a webhook: the record of attempts is all that changes.
 * Safe for use by several threads.
 */
public final class EndpointTrials {

  /** Messages under way at once. */
  public static final int MAX = 16;

  /** Messages under way at one host. */
  static final int MAX_AT_HOST = 4;

  private final EndpointSink.Means means;
  private final RandomGenerator random;
  private final Permits<String, Void> permits = new Permits<>(Permits.Bounds.of(MAX_AT_HOST, MAX));

  /**
   * Without any message under way.
   *
   * @param random for the ids of test events
   */
  EndpointTrials(EndpointSink.Means means, RandomGenerator random) {
    this.means = means;
    this.random = random;
  }

  /**
   * The result of a test event.
   *
   * @param status of the answer; absent if there was none
   * @param error absent if it was delivered
   */
  public record Tested(
      String messageId,
      boolean delivered,
      String outcome,
      @Nullable Integer status,
      @Nullable String error,
      long durationMs) {

    private static Tested of(String id, DeliveryRecord result) {
      return new Tested(
          id,
          result.delivered(),
          result.outcome().name().toLowerCase(Locale.ROOT),
          result.status() == 0 ? null : result.status(),
          result.delivered() ? null : result.error(),
          result.took().toMillis());
    }
  }

  /**
   * Sends an endpoint a signed message that stands for no event.
   *
   * @throws RejectedExecutionException if {@link #MAX} are under way, or {@link #MAX_AT_HOST} at
   *     the endpoint's host
   */
  public CompletableFuture<Tested> test(Webhook webhook) {
    WebhookEndpoint endpoint = WebhookEndpoint.of(webhook);
    byte[] body = endpoint.target().message(Announcement.test(webhook.id()));
    String id = "test_" + RandomToken.next(random);
    return permitted(
            webhook.host(),
            () ->
                means
                    .post()
                    .send(endpoint, new WebhookMessage(id, body), EndpointPost.test(endpoint)))
        .thenApply(result -> Tested.of(id, result));
  }

  /**
   * Sends an event's messages once more, with the ids that they have, signed and filtered as the
   * webhook is now, up to the first that is not delivered. Blocks until they are made.
   *
   * @return the last attempt's id on record; empty where the event brings the webhook nothing
   * @throws RejectedExecutionException as for {@link #test}
   */
  public Optional<CompletableFuture<Long>> resend(Webhook webhook, Event event) {
    WebhookEndpoint endpoint = WebhookEndpoint.of(webhook);
    return means
        .documents()
        .of(List.of(event), endpoint)
        .map(
            made ->
                permitted(endpoint.host(), () -> resend(endpoint, event, made.messages(), 0))
                    .thenApply(DeliveryRecord::id));
  }

  private CompletableFuture<DeliveryRecord> resend(
      WebhookEndpoint endpoint, Event event, List<byte[]> messages, int part) {
    return means
        .post()
        .send(
            endpoint,
            endpoint.message(event.seq(), part, messages.get(part)),
            EndpointPost.attempt(endpoint, Attempt.Kind.RESENT, event, 1))
        .thenCompose(
            result ->
                result.delivered() && part + 1 < messages.size()
                    ? resend(endpoint, event, messages, part + 1)
                    : CompletableFuture.completedFuture(result));
  }

  private <T> CompletableFuture<T> permitted(String host, Supplier<CompletableFuture<T>> sent) {
    if (!permits.tryTake(host)) {
      throw new RejectedExecutionException("too many messages of operators are under way");
    }
    return sent.get().whenComplete((result, failure) -> permits.giveBack(host));
  }
}
