package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.store.Gap;
import java.util.Locale;

/**
 * The places that operators see deliveries in. Safe for use by several threads.
 *
 * @param meters for numbers
 * @param attempts for the last attempts of each subscription
 * @param activity for sentences
 * @param traces for the way of one event
 */
public record DeliveryReports(
    Meters meters, Attempts attempts, ActivityLog activity, Traces traces) {

  /** A subscriber misses events. */
  public void gap(Gap gap) {
    meters.gap(gap.reason(), gap.events());
    activity.tell(
        Notice.Type.SUBSCRIPTION_GAP,
        "",
        "The subscription %d misses %d events of the feed %d: %s."
            .formatted(
                gap.subscriptionId(),
                gap.events(),
                gap.feedId(),
                gap.reason().name().toLowerCase(Locale.ROOT).replace('_', ' ')));
  }
}
