package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.store.Gap;
import io.feedbridge.gateway.store.Laggards;
import io.feedbridge.gateway.store.Webhook;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

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

  /**
   * Events that one was not sent.
   *
   * @param after the newest event that it was known to have before
   * @param upTo the event behind which it went on
   * @param events how many of its feed lay between; absent for one that has several, of which not
   *     all may have been for it
   */
  record View(String after, String upTo, @Nullable Long events, Instant at, String reason) {
    static View of(Gap gap) {
      return new View(
          Long.toString(gap.after()),
          Long.toString(gap.upTo()),
          gap.events(),
          gap.at(),
          label(gap.reason()));
    }

    static View of(Consumers.Gap gap) {
      return new View(
          Long.toString(gap.after()),
          Long.toString(gap.upTo()),
          null,
          gap.at(),
          label(Gap.Reason.RETENTION));
    }

    private static String label(Gap.Reason reason) {
      return reason.name().toLowerCase(Locale.ROOT);
    }
  }

  /** The gaps of a subscription, the newest first. */
  List<View> ofSubscription(long id) {
    return laggards.gaps(id, SHOWN).stream().map(View::of).toList();
  }

  /** The gaps of a webhook, the newest first. */
  List<View> ofWebhook(long id) {
    List<View> all =
        consumers
            .byName(Webhook.consumer(id))
            .map(consumer -> consumers.gaps(consumer.id()).stream().map(View::of).toList())
            .orElse(List.of());
    List<View> newestFirst = new ArrayList<>(all);
    Collections.reverse(newestFirst);
    return newestFirst.subList(0, Math.min(SHOWN, newestFirst.size()));
  }
}
