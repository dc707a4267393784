package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.subscriptions.Webhook;
import org.jspecify.annotations.Nullable;

/**
 * The conditions that an endpoint must meet; an absent part matches all endpoints. An endpoint of
 * all feeds is one of each topic.
 *
 * @param text a part of the URL; the case of ASCII letters makes no difference
 */
public record WebhookFilter(
    @Nullable String topic,
    @Nullable String url,
    Webhook.@Nullable State state,
    @Nullable Boolean lagging,
    @Nullable String text) {

  /** Matches each endpoint. */
  public static final WebhookFilter ALL = new WebhookFilter(null, null, null, null, null);
}
