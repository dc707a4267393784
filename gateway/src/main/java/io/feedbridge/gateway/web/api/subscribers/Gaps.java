package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.store.deliveries.Laggards;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.web.api.model.GapView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The events that subscribers have missed for good, as the API shows them (rule L13). */
final class Gaps {

  /** Of one subscriber; the newest are shown. */
  static final int SHOWN = 10;

  private final Laggards laggards;
  private final Consumers consumers;

  Gaps(Store store) {
    laggards = store.laggards();
    consumers = store.consumers();
  }

  /** The gaps of a subscription, the newest first. */
  List<GapView> ofSubscription(long id) {
    return laggards.gaps(id, SHOWN).stream().map(GapView::of).toList();
  }

  /** The gaps of a webhook, the newest first. */
  List<GapView> ofWebhook(long id) {
    List<GapView> all =
        consumers
            .byName(Webhook.consumer(id))
            .map(consumer -> consumers.gaps(consumer.id()).stream().map(GapView::of).toList())
            .orElse(List.of());
    List<GapView> newestFirst = new ArrayList<>(all);
    Collections.reverse(newestFirst);
    return newestFirst.subList(0, Math.min(SHOWN, newestFirst.size()));
  }
}
