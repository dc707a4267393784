package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Store;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what came of a laggard's delivery into its row. */
final class Settlement {

  private static final Logger log = LoggerFactory.getLogger(Settlement.class);

  /** How long an outcome waits that could not be written, because of a full disk, say. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  private final Store store;
  private final BackOff backOff;
  private final Timer timer;
  private final Clock clock;

  Settlement(Store store, BackOff backOff, Timer timer) {
    this.store = store;
    this.backOff = backOff;
    this.timer = timer;
    clock = timer.clock();
  }

  /** When to try again after so many failures, the last of them this one. */
  Instant nextAttempt(int failures, Verdict.Failed failed) {
    return backOff.next(clock.instant(), failures, failed.retryAfter());
  }

  /**
   * Moves a laggard on. Until that is written the row stays in flight, so nothing else is sent.
   *
   * @param sentTo the newest event that was in the document
   */
  void settle(Laggard laggard, long sentTo, Verdict verdict) {
    Failpoint.BEFORE_SETTLEMENT.reached();
    Instant now = clock.instant();
    if (verdict instanceof Verdict.CutOff) {
      return;
    }
    if (verdict instanceof Verdict.Ended) {
      end(laggard.subscriptionId());
      return;
    }
    Laggard after;
    if (verdict instanceof Verdict.Failed failed) {
      int attempts = laggard.attempts() + 1;
      after =
          new Laggard(
              laggard.subscriptionId(),
              laggard.feedId(),
              laggard.host(),
              laggard.cursor(),
              sentTo,
              attempts,
              nextAttempt(attempts, failed),
              false,
              failed.error());
    } else {
      after =
          new Laggard(
              laggard.subscriptionId(),
              laggard.feedId(),
              laggard.host(),
              sentTo,
              null,
              0,
              now,
              false,
              null);
    }
    record(laggard.subscriptionId(), () -> store.laggards().settle(after, now));
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
