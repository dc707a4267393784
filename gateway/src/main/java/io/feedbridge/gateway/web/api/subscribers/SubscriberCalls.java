package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.delivery.Fanout;
import io.feedbridge.gateway.delivery.webhooks.Endpoints;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.publish.FilterPreview;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.common.ApiCalls;
import java.time.Clock;
import java.util.random.RandomGenerator;

/** The calls about subscriptions and webhooks that need the owner of the store. */
public final class SubscriberCalls {

  private static final RouteOptions JSON = RouteOptions.body(64 * 1024, "application/json");

  /** A body that may name very many feeds. */
  private static final RouteOptions WEBHOOK = RouteOptions.body(1 << 20, "application/json");

  private final SubscriptionChanges subscriptions;
  private final WebhooksApi webhooks;
  private final PreviewApi preview;
  private final DeliveriesApi deliveries;

  /**
   * The calls over the parts of a gateway that deliver.
   *
   * @param random for secrets: unguessable
   */
  public SubscriberCalls(
      Store store,
      SubscriberReads reads,
      Fanout fanout,
      Endpoints endpoints,
      Attempts attempts,
      Policies policies,
      RandomGenerator random,
      Clock clock) {
    subscriptions = new SubscriptionChanges(store, reads.subscriptions, fanout, endpoints, clock);
    webhooks =
        new WebhooksApi(
            store.webhooks(),
            reads.webhooks,
            subscriptions,
            endpoints.trials(),
            reads.bridges,
            policies,
            random,
            clock);
    preview = new PreviewApi(new FilterPreview(store), reads.bridges, policies);
    deliveries = new DeliveriesApi(store, attempts, fanout.resends(), endpoints.trials());
  }

  /** Adds their routes below a path. */
  public Router.Builder addTo(Router.Builder routes, String base, ApiCalls calls) {
    String subscription = base + "/subscriptions/{id}";
    String all = base + "/webhooks";
    String webhook = all + "/{id}";
    return deliveries
        .addTo(routes, base + "/subscriptions", all, calls)
        .route("DELETE", subscription, calls.guarded(subscriptions::delete))
        .route("POST", subscription + "/retry", calls.guarded(subscriptions::retry))
        .route("POST", all, WEBHOOK, calls.guarded(webhooks::create))
        .route("POST", all + "/preview", WEBHOOK, calls.guarded(preview::preview))
        .route("PATCH", webhook, WEBHOOK, calls.guarded(webhooks::change))
        .route("DELETE", webhook, calls.guarded(webhooks::delete))
        .route("DELETE", webhook + "/previous-secrets", calls.guarded(webhooks::endPreviousSecrets))
        .route("POST", webhook + "/rotate-secret", JSON, calls.guarded(webhooks::rotate))
        .route("POST", webhook + "/test", calls.guardedLater(webhooks::test))
        .route("POST", webhook + "/retry", calls.guarded(webhooks::retry))
        .route("POST", webhook + "/enable", calls.guarded(webhooks::enable))
        .route("POST", webhook + "/disable", calls.guarded(webhooks::disable));
  }
}
