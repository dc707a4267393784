package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Store;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what came of a laggard's delivery into its row. */
final class Settlement {

  private static final Logger log = LoggerFactory.getLogger(Settlement.class);

  private final Store store;
  private final BackOff backOff;
  private final Clock clock;

  Settlement(Store store, BackOff backOff, Clock clock) {
    this.store = store;
    this.backOff = backOff;
    this.clock = clock;
  }

  /** When to try again after so many failures, the last of them this one. */
  Instant nextAttempt(int failures, Verdict.Failed failed) {
    return backOff.next(clock.instant(), failures, failed.retryAfter());
  }

  /**
   * Moves a laggard on. If that cannot be written the row stays in flight until a restart, which
   * then sends the document once more: a delivery may be doubled, never lost.
   *
   * @param sentTo the newest event that was in the document
   */
  void settle(Laggard laggard, long sentTo, Verdict verdict) {
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
    var unused =
        store
            .laggards()
            .settle(after, now)
            .whenComplete((done, failure) -> report(failure, laggard.subscriptionId()));
  }

  /** Ends a subscription whose callback said that it is gone. */
  void end(long subscriptionId) {
    var unused =
        store
            .subscriptions()
            .end(subscriptionId, clock.instant())
            .whenComplete((done, failure) -> report(failure, subscriptionId));
  }

  private static void report(@Nullable Throwable failure, long id) {
    if (failure != null) {
      log.atError()
          .addKeyValue("subscription", id)
          .setCause(failure)
          .log("The outcome of a delivery could not be recorded");
    }
  }
}
