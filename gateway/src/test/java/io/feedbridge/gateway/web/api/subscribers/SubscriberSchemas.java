package io.feedbridge.gateway.web.api.subscribers;

import java.util.Map;

/** The records of this package that schemas of the OpenAPI document describe, by their names. */
public final class SubscriberSchemas {

  public static final Map<String, Class<? extends Record>> RECORDS =
      Map.ofEntries(
          Map.entry("Gap", Gaps.View.class),
          Map.entry("Subscription", SubscriptionsApi.View.class),
          Map.entry("SubscribedWebhook", SubscribedWebhooks.View.class),
          Map.entry("Delivery", DeliveryView.class),
          Map.entry("OneDelivery", DeliveriesApi.OneDelivery.class),
          Map.entry("ValidSecret", WebhookReads.ValidSecret.class),
          Map.entry("NewWebhook", WebhooksApi.New.class),
          Map.entry("WebhookChange", WebhooksApi.Change.class),
          Map.entry("Webhook", WebhookReads.View.class),
          Map.entry("Preview", PreviewApi.Asked.class),
          Map.entry("PreviewItem", PreviewApi.Item.class),
          Map.entry("PreviewList", PreviewApi.Items.class),
          Map.entry("CreatedWebhook", WebhooksApi.Created.class),
          Map.entry("RefusedFeed", WebhookFields.RefusedFeed.class),
          Map.entry("Rotation", WebhooksApi.Rotation.class),
          Map.entry("Rotated", WebhooksApi.Rotated.class));

  private SubscriberSchemas() {}
}
