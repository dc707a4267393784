package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.delivery.Fanout;
import io.feedbridge.gateway.delivery.webhooks.Endpoints;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.web.api.model.SubscriberId;
import io.feedbridge.gateway.web.common.Answers;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/** {@code /api/v1/subscriptions}: ends subscriptions, and makes laggards due. */
final class SubscriptionChanges {

  private static final int ACCEPTED = 202;

  /** The reason that an ended subscription's callback is told. */
  private static final String ENDED = "the operator of this hub has ended the subscription";

  private final Store store;
  private final SubscriptionsApi subscriptions;
  private final Fanout fanout;
  private final Endpoints endpoints;
  private final Clock clock;

  SubscriptionChanges(
      Store store,
      SubscriptionsApi subscriptions,
      Fanout fanout,
      Endpoints endpoints,
      Clock clock) {
    this.store = store;
    this.subscriptions = subscriptions;
    this.fanout = fanout;
    this.endpoints = endpoints;
    this.clock = clock;
  }

  /** {@code DELETE /subscriptions/{id}}. */
  Response delete(Request request) {
    return SubscriberId.in(request).filter(this::ended).isPresent()
        ? Response.noContent()
        : SubscriptionsApi.unknown();
  }

  private boolean ended(SubscriberId id) {
    Instant now = clock.instant();
    return switch (id.kind()) {
      case SUBSCRIPTION -> store.subscriptions().deny(id.number(), ENDED, now).join();
      case PENDING -> store.subscriptionQueries().withdraw(id.number(), now).join();
      case WEBHOOK -> store.webhooks().remove(id.number(), now).join();
    };
  }

  /** {@code POST /subscriptions/{id}/retry}. */
  Response retry(Request request) {
    Optional<SubscriberId> id =
        SubscriberId.in(request).filter(one -> subscriptions.find(one).isPresent());
    if (id.isEmpty()) {
      return SubscriptionsApi.unknown();
    }
    switch (id.get().kind()) {
      case SUBSCRIPTION -> fanout.retry(id.get().number()).join();
      case WEBHOOK -> retryWebhook(id.get().number());
      case PENDING -> {}
    }
    return Answers.json(ACCEPTED, subscriptions.find(id.get()).orElseThrow());
  }

  /**
   * Makes a webhook due at once, to be served or to be verified; a disabled one stays as it is.
   *
   * @return the webhook then; empty if there is none
   */
  Optional<Webhook> retryWebhook(long id) {
    Optional<Webhook> webhook = store.webhooks().byId(id);
    if (webhook.filter(one -> one.state() == Webhook.State.PENDING).isPresent()) {
      return store.webhooks().enable(id, clock.instant()).join();
    }
    if (webhook.filter(one -> one.state() == Webhook.State.ACTIVE).isPresent()) {
      endpoints.retry(id);
    }
    return webhook;
  }
}
