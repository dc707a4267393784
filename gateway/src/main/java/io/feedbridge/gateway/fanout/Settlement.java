package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what came of a laggard's delivery into its row. */
final class Settlement {

  private static final Logger log = LoggerFactory.getLogger(Settlement.class);

  /** How long an outcome waits that could not be written, because of a full disk, say. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  private final Store store;
  private final Timer timer;
  private final Clock clock;

  Settlement(Store store, Timer timer) {
    this.store = store;
    this.timer = timer;
    clock = timer.clock();
  }

  /**
   * Moves a laggard on. Until that is written the row stays in flight, so nothing else is sent.
   *
   * @param sentTo the newest event that was in the document
   */
  void settle(Laggard laggard, long sentTo, Verdict verdict) {
    Failpoint.BEFORE_SETTLEMENT.reached();
    if (verdict instanceof Verdict.CutOff) {
      return;
    }
    if (verdict instanceof Verdict.Ended) {
      end(laggard.subscriptionId());
      return;
    }
    Instant now = clock.instant();
    if (!(verdict instanceof Verdict.Failed failed)) {
      Laggard served = past(laggard, sentTo, now, null);
      record(laggard.subscriptionId(), () -> store.laggards().settle(served, now));
    } else if (failed.next() instanceof Next.PassOver given) {
      Laggard passed = past(laggard, sentTo, now, failed.error());
      record(
          laggard.subscriptionId(),
          () -> store.laggards().passOver(passed, given.allowed(), given.endAt(), now));
    } else {
      int attempts = laggard.attempts() + (failed.counts() ? 1 : 0);
      Laggard waits = waiting(laggard, sentTo, attempts, failed.retryAt(now), failed.error());
      record(laggard.subscriptionId(), () -> store.laggards().settle(waits, now));
    }
  }

  /** Puts off one that was claimed and could not be tried, through no fault of its own. */
  void putOff(Laggard laggard, long sentTo, String error) {
    Instant now = clock.instant();
    Laggard waits =
        waiting(laggard, sentTo, laggard.attempts(), now.plus(PAUSE_AFTER_FAILURE), error);
    record(laggard.subscriptionId(), () -> store.laggards().settle(waits, now));
  }

  private static Laggard past(Laggard laggard, long sentTo, Instant now, @Nullable String error) {
    return new Laggard(
        laggard.subscriptionId(),
        laggard.feedId(),
        laggard.host(),
        sentTo,
        null,
        0,
        now,
        false,
        error);
  }

  private static Laggard waiting(
      Laggard laggard, long sentTo, int attempts, Instant next, String error) {
    return new Laggard(
        laggard.subscriptionId(),
        laggard.feedId(),
        laggard.host(),
        laggard.cursor(),
        sentTo,
        attempts,
        next,
        false,
        error);
  }

  /** A round served one that had errors. Nothing is written for one that had none. */
  void succeeded(Subscription subscription, Verdict.Served served) {
    if (subscription.errors() > 0) {
      record(subscription.id(), () -> store.subscriptions().clearErrors(subscription.id()));
    }
    count(subscription, served);
  }

  /** Writes for how many a subscriber stands, where that is news. */
  void count(Subscription subscription, Verdict.Served served) {
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

  /** Ends a subscription whose callback said that it is gone. */
  void end(long subscriptionId) {
    record(subscriptionId, () -> store.subscriptions().end(subscriptionId, clock.instant()));
  }

  /** Writes an outcome, again and again if need be: nobody else knows it. */
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
