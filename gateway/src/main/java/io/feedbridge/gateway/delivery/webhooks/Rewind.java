package io.feedbridge.gateway.delivery.webhooks;

import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * A webhook that is to get events of the past again.
 *
 * @param id of the webhook
 * @param after the position in the log after which it gets all events
 * @param done completes once that is recorded, with whether there is such a webhook
 */
record Rewind(long id, long after, CompletableFuture<Boolean> done) {

  /** Records it. Blocks. No follower serves the webhook now. */
  void run(Consumers consumers, Instant now) {
    try {
      done.complete(
          consumers
              .byName(Webhook.consumer(id))
              .filter(consumer -> consumers.rewind(consumer.id(), after, now).join())
              .isPresent());
    } catch (RuntimeException e) {
      done.completeExceptionally(e);
    }
  }
}
