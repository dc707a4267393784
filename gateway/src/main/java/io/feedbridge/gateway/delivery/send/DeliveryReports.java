package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.attempts.RunningAttempt;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The places that operators see deliveries in: the readers of each {@link DeliveryRecord}. Safe for
 * use by several threads.
 *
 * @param meters for numbers
 * @param attempts for the last attempts of each subscription
 * @param activity for sentences
 * @param traces for the way of one event
 */
public record DeliveryReports(
    Meters meters, Attempts attempts, ActivityLog activity, Traces traces) {

  private static final Logger log = LoggerFactory.getLogger(DeliveryReports.class);

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

  RunningAttempt begin(DeliveryAttempt attempt, int bytes) {
    return attempts.begin(
        attempt.to().attemptsId(), attempt.event(), attempt.number(), attempt.kind(), bytes);
  }

  /** Tells of an attempt that has ended: all are counted, each failure has a line of the log. */
  void add(DeliveryRecord ended) {
    DeliveryAttempt attempt = ended.attempt();
    Receiver to = attempt.to();
    meters.delivery(to.protocol(), ended.outcome());
    if (ended.delivered()) {
      meters.firstDeliveries().delivered(attempt.feedId(), attempt.event());
    }
    activity.delivery(
        attempt.topic(),
        to.host(),
        ended.delivered(),
        ended.delivered() ? "delivered" : ended.error(),
        new Activity.Delivery(to.attemptsId(), attempt.event(), to.url()));
    if (ended.result().isFailure()) {
      log(ended);
    }
  }

  /** A request that could not be made is the gateway's own failure, and shows its cause. */
  private static void log(DeliveryRecord ended) {
    boolean unmade = ended.failure() != null && ended.outcome() == DeliveryOutcome.UNMAKEABLE;
    LoggingEventBuilder line = unmade ? log.atError().setCause(ended.failure()) : log.atInfo();
    DeliveryAttempt attempt = ended.attempt();
    Receiver to = attempt.to();
    line =
        line.addKeyValue(to.protocol() == Protocol.WEBHOOK ? "webhook" : "subscription", to.id())
            .addKeyValue("protocol", to.protocol())
            .addKeyValue("host", to.host())
            .addKeyValue("kind", attempt.kind())
            .addKeyValue("event", attempt.event())
            .addKeyValue("attempt", attempt.number())
            .addKeyValue("outcome", ended.outcome())
            .addKeyValue("status", ended.status() == 0 ? "none" : ended.status())
            .addKeyValue("error", ended.error())
            .addKeyValue("took", ended.took());
    if (ended.next() != null) {
      line =
          line.addKeyValue(
              "next", ended.next() instanceof Next.Retry retry ? retry.at() : "given up");
    }
    line.log(unmade ? "A delivery could not be made" : "A delivery failed");
  }
}
