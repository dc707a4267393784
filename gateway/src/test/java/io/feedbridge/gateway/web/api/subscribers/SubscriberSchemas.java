package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.web.api.model.DeliveryView;
import io.feedbridge.gateway.web.api.model.GapView;
import io.feedbridge.gateway.web.api.model.PreviewItem;
import io.feedbridge.gateway.web.api.model.SubscriptionView;
import io.feedbridge.gateway.web.api.model.WebhookView;
import java.util.Map;

/** The records of this package that schemas of the OpenAPI document describe, by their names. */
public final class SubscriberSchemas {

  public static final Map<String, Class<? extends Record>> RECORDS =
      Map.ofEntries(
          Map.entry("Gap", GapView.class),
          Map.entry("Subscription", SubscriptionView.Subscribed.class),
          Map.entry("SubscribedWebhook", SubscriptionView.OfWebhook.class),
          Map.entry("Delivery", DeliveryView.class),
          Map.entry("OneDelivery", DeliveryView.One.class),
          Map.entry("ValidSecret", WebhookView.ValidSecret.class),
          Map.entry("NewWebhook", WebhooksApi.New.class),
          Map.entry("WebhookChange", WebhooksApi.Change.class),
          Map.entry("Webhook", WebhookView.class),
          Map.entry("Preview", PreviewApi.Asked.class),
          Map.entry("PreviewItem", PreviewItem.class),
          Map.entry("PreviewList", PreviewItem.Items.class),
          Map.entry("CreatedWebhook", WebhookView.Created.class),
          Map.entry("RefusedFeed", WebhookView.RefusedFeed.class),
          Map.entry("Rotation", WebhooksApi.Rotation.class),
          Map.entry("Rotated", WebhookView.Rotated.class));

  private SubscriberSchemas() {}
}
