package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.web.common.ApiCalls;
import java.time.Clock;

/** The calls about subscriptions and webhooks that are answered from the store alone. */
public final class SubscriberReads {

  final SubscriptionsApi subscriptions;
  final WebhookReads webhooks;
  final BridgedUrls bridges;

  /** The calls over a store. */
  public SubscriberReads(Store store, BridgedUrls bridges, Clock clock) {
    this.bridges = bridges;
    Gaps gaps = new Gaps(store);
    subscriptions = new SubscriptionsApi(store, gaps, bridges);
    webhooks = new WebhookReads(store.webhooks(), gaps, bridges, clock);
  }

  /** Adds their routes below a path. */
  public Router.Builder addTo(Router.Builder routes, String base, ApiCalls calls) {
    return routes
        .route("GET", base + "/subscriptions", calls.guarded(subscriptions::list))
        .route("GET", base + "/subscriptions/{id}", calls.guarded(subscriptions::get))
        .route("GET", base + "/webhooks", calls.guarded(webhooks::list))
        .route("GET", base + "/webhooks/{id}", calls.guarded(webhooks::get));
  }
}
