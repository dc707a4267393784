package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Subscription;

/**
 * A subscription or an endpoint, as a delivery goes on record.
 *
 * @param id of the subscription or the webhook
 * @param host of its callback
 * @param url the callback
 */
public record Receiver(Protocol protocol, long id, String host, String url) {

  static Receiver of(Subscription subscription) {
    String callback = subscription.callback();
    return new Receiver(
        subscription.protocol(), subscription.id(), CallbackHost.of(callback), callback);
  }

  /** The id under which its attempts are kept. */
  long attemptsId() {
    return protocol == Protocol.WEBHOOK ? Attempts.ofWebhook(id) : id;
  }
}
