package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.store.Behind;
import io.feedbridge.gateway.store.sql.deliveries.WebhookFilter;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.web.api.model.SubscriberId;
import io.feedbridge.gateway.web.api.model.SubscriptionView;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Webhooks among the subscriptions of all protocols. */
final class SubscribedWebhooks {

  /** The state of one that is kept and sent nothing. */
  static final String DISABLED = "disabled";

  private final Webhooks webhooks;
  private final Gaps gaps;

  SubscribedWebhooks(Webhooks webhooks, Gaps gaps) {
    this.webhooks = webhooks;
    this.gaps = gaps;
  }

  /** The webhooks that match, in the order of their ids, after the given id and some more. */
  List<SubscriptionView.OfWebhook> list(WebhookFilter filter, long after, long skip, int limit) {
    return webhooks.list(filter, after, skip, limit).stream().map(this::view).toList();
  }

  /** How many webhooks match. */
  long count(WebhookFilter filter) {
    return webhooks.count(filter);
  }

  /** The webhooks among the subscriptions that a request asks for; empty if it means none. */
  static Optional<WebhookFilter> filter(
      Optional<String> topic, Optional<String> url, Optional<String> text, Optional<String> state) {
    if (state.equals(Optional.of("ended")) || state.equals(Optional.of("waiting"))) {
      return Optional.empty();
    }
    boolean lagging = state.equals(Optional.of("lagging"));
    boolean active = state.equals(Optional.of("active"));
    Webhook.State of =
        lagging
            ? Webhook.State.ACTIVE
            : state.map(name -> Webhook.State.valueOf(name.toUpperCase(Locale.ROOT))).orElse(null);
    return Optional.of(
        new WebhookFilter(
            topic.orElse(null),
            url.orElse(null),
            of,
            (lagging || active) ? Boolean.valueOf(lagging) : null,
            text.orElse(null)));
  }

  Optional<SubscriptionView.OfWebhook> find(long id) {
    return webhooks.byId(id).map(this::view);
  }

  private SubscriptionView.OfWebhook view(Webhook webhook) {
    Behind behind = webhooks.behind(webhook).orElse(null);
    List<String> topics = webhook.terms().topics();
    return new SubscriptionView.OfWebhook(
        new SubscriberId(SubscriberId.Kind.WEBHOOK, webhook.id()).toString(),
        "webhook",
        topics.isEmpty() ? "*" : topics.size() == 1 ? topics.get(0) : null,
        topics.isEmpty() ? List.of("*") : topics,
        webhook.terms().url(),
        "json",
        state(webhook, behind),
        webhook.reason(),
        null,
        webhook.createdAt(),
        behind,
        gaps.ofWebhook(webhook.id()));
  }

  private static String state(Webhook webhook, @Nullable Behind behind) {
    return switch (webhook.state()) {
      case PENDING -> "pending";
      case ACTIVE -> behind == null ? "active" : "lagging";
      case DISABLED -> DISABLED;
    };
  }
}
