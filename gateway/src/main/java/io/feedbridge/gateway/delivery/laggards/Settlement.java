package io.feedbridge.gateway.delivery.laggards;

import io.feedbridge.gateway.delivery.send.DeliveryReports;
import io.feedbridge.gateway.delivery.send.DeliveryResult;
import io.feedbridge.gateway.delivery.send.Next;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Subscriptions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the outcome of a laggard's delivery into its row. */
public final class Settlement {

  private static final Logger log = LoggerFactory.getLogger(Settlement.class);

  /** How long an outcome waits after its write has failed, because of a full disk, say. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  private static final String RENEWED = "it was renewed while it was called";

  private final Store store;
  private final Timer timer;
  private final DeliveryReports reports;
  private final Clock clock;

  public Settlement(Store store, Timer timer, DeliveryReports reports) {
    this.store = store;
    this.reports = reports;
    this.timer = timer;
    clock = timer.clock();
  }

  /**
   * Moves a laggard on. Until that is written the row stays in flight, so nothing else is sent. The
   * delivery result counts for the subscription as it was called: where its callback said that it
   * is gone but it was renewed since, the document is sent again.
   *
   * @param called the subscription as it was called
   * @param sentTo the newest event that was in the document
   */
  public void settle(Subscription called, Laggard laggard, long sentTo, DeliveryResult result) {
    if (result instanceof DeliveryResult.Served) {
      Duration every = called.terms().wished().every();
      Instant now = clock.instant();
      settle(
          every == null
              ? laggard.past(sentTo, now, null)
              : laggard.resting(sentTo, now.plus(every)));
      return;
    }
    Failpoint.BEFORE_SETTLEMENT.reached();
    if (result instanceof DeliveryResult.Ended) {
      end(called, () -> putOff(laggard, sentTo, RENEWED));
      return;
    }
    if (!(result instanceof DeliveryResult.Failed failed)) {
      return;
    }
    Instant now = clock.instant();
    if (failed.next() instanceof Next.PassOver given) {
      Laggard passed = laggard.past(sentTo, now, failed.error());
      record(
          laggard.subscriptionId(),
          () -> store.laggards().passOver(passed, called, given.allowed(), given.endAt(), now));
    } else {
      int attempts = laggard.attempts() + (failed.counts() ? 1 : 0);
      Laggard waits = laggard.failed(sentTo, attempts, failed.retryAt(now), failed.error());
      record(laggard.subscriptionId(), () -> store.laggards().settle(waits, now));
    }
  }

  /**
   * Has a laggard sent one event alone, next: the document that was to have more could not be made.
   */
  void narrow(Laggard laggard, long event, DeliveryResult.Failed failed) {
    Instant now = clock.instant();
    Laggard waits = laggard.failed(event, 0, failed.retryAt(now), failed.error());
    record(laggard.subscriptionId(), () -> store.laggards().settle(waits, now));
  }

  /** Moves a laggard past an event of which no document could be made, with the gap on record. */
  void skip(Laggard laggard, long event, DeliveryResult.Failed failed) {
    Instant now = clock.instant();
    Laggard passed = laggard.past(event, now, failed.error());
    Gap gap =
        new Gap(
            laggard.subscriptionId(),
            laggard.feedId(),
            laggard.cursor(),
            event,
            1,
            now,
            Gap.Reason.UNMAKEABLE);
    reports.gap(gap);
    log.atError()
        .addKeyValue("subscription", gap.subscriptionId())
        .addKeyValue("feed", gap.feedId())
        .addKeyValue("event", event)
        .addKeyValue("error", failed.error())
        .log("No document can be made of an event: the subscriber does not get it");
    record(laggard.subscriptionId(), () -> store.laggards().skip(passed, gap));
  }

  /** Moves a laggard past events that are no news to it, or that it has. */
  void served(Laggard laggard, long sentTo) {
    settle(laggard.past(sentTo, clock.instant(), null));
  }

  private void settle(Laggard served) {
    Failpoint.BEFORE_SETTLEMENT.reached();
    Instant now = clock.instant();
    record(served.subscriptionId(), () -> store.laggards().settle(served, now));
  }

  /** Puts off a laggard that was claimed and could not be tried, through no fault of its own. */
  void putOff(Laggard laggard, long sentTo, String error) {
    Instant now = clock.instant();
    Laggard waits =
        laggard.failed(sentTo, laggard.attempts(), now.plus(PAUSE_AFTER_FAILURE), error);
    record(laggard.subscriptionId(), () -> store.laggards().settle(waits, now));
  }

  /** Clears the errors of a subscriber that a round has served; writes nothing if it has none. */
  public void succeeded(Subscription subscription, DeliveryResult.Served served) {
    if (subscription.errors() > 0) {
      record(subscription.id(), () -> store.subscriptions().clearErrors(subscription.id()));
    }
    count(subscription, served);
  }

  /** Records for how many people a subscriber stands, if that has changed. */
  void count(Subscription subscription, DeliveryResult.Served served) {
    served
        .readers()
        .ifPresent(
            readers -> {
              if (readers != subscription.readers()) {
                record(
                    subscription.id(),
                    () -> store.subscriptions().standsFor(subscription.id(), readers));
              }
            });
  }

  /**
   * Ends a subscription whose callback said in a round that it is gone. To one that was renewed
   * since it was called, the events are sent again.
   *
   * @param after the round began behind this event
   * @param upTo the newest event of the round
   */
  public void end(Subscription called, long after, long upTo) {
    end(
        called,
        () ->
            record(
                called.id(), () -> store.laggards().replay(called, after, upTo, clock.instant())));
  }

  private void end(Subscription called, Runnable ifRenewed) {
    record(
        called.id(),
        () ->
            store
                .subscriptions()
                .endAsCalled(called, clock.instant())
                .thenAccept(
                    ending -> {
                      if (ending == Subscriptions.Ending.RENEWED) {
                        ifRenewed.run();
                      }
                    }));
  }

  /** Writes an outcome, again and again if need be: it is recorded nowhere else. */
  private void record(long subscriptionId, Supplier<CompletableFuture<?>> write) {
    var unused =
        write
            .get()
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    log.atWarn()
                        .addKeyValue("subscription", subscriptionId)
                        .addKeyValue("error", failure.getMessage())
                        .log("The outcome of a delivery could not be recorded yet");
                    Instant again = clock.instant().plus(PAUSE_AFTER_FAILURE);
                    timer.at(again, () -> record(subscriptionId, write));
                  }
                });
  }
}
