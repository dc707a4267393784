package io.feedbridge.gateway.delivery.rounds;

import io.feedbridge.gateway.delivery.laggards.Settlement;
import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.deliveries.Laggard;
import io.feedbridge.gateway.store.deliveries.Round;
import io.feedbridge.gateway.store.deliveries.Rounds;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The writes of a pass for its round, one after the other and beside the pass: the pass goes on
 * while a checkpoint is written, and waits for that before it makes the next. Used by one thread at
 * a time.
 */
final class Progress {

  private final Rounds rounds;
  private final Tally tally;
  private final Settlement settlement;
  private final Meters meters;
  private final Clock clock;

  /**
   * Whether an earlier pass was cut off, so that subscribers past its checkpoint may have the
   * document.
   */
  private final boolean resumed;

  private volatile Round round;
  private CompletableFuture<Void> written = CompletableFuture.completedFuture(null);
  private boolean begun;

  /**
   * The progress of a pass.
   *
   * @param round as it is in the store
   * @param resumed whether an earlier pass over it was cut off
   */
  Progress(
      Round round,
      boolean resumed,
      Rounds rounds,
      Tally tally,
      Settlement settlement,
      Meters meters,
      Clock clock) {
    this.round = round;
    this.resumed = resumed;
    this.rounds = rounds;
    this.tally = tally;
    this.settlement = settlement;
    this.meters = meters;
    this.clock = clock;
  }

  Round round() {
    return round;
  }

  Tally tally() {
    return tally;
  }

  /**
   * Whether subscribers may have got the document of the round before a crash, without a row that
   * says so: whatever the result of this pass is, that document is the next that they get (rule
   * L12).
   */
  boolean isResumed() {
    return resumed;
  }

  /** Writes the rows that an earlier pass has left to be written, on the first call. Blocks. */
  void begin() {
    if (!begun && !round.passed().isEmpty()) {
      passOver(round);
      round = round.at(round.checkpoint(), Map.of());
    }
    begun = true;
  }

  /** Makes laggards of the subscribers that the round has passed over up to its checkpoint. */
  private void passOver(Round reached) {
    Rounds.Passing passing = new Rounds.Passing(Collections.min(reached.passed().values()), 0);
    do {
      passing = rounds.passOver(reached, passing.upTo(), resumed, clock.instant()).join();
      meters.heldBack(passing.count());
    } while (passing.upTo() < reached.checkpoint());
  }

  /** Makes a laggard of a subscriber at a host that is passed over, with the next checkpoint. */
  void passOver(Subscription subscription, long after) {
    meters.heldBack(1);
    tally.owe(RoundDelivery.passedOver(subscription, after, resumed, round.to(), clock.instant()));
  }

  /** The row of a delivery that waited in vain for room at its host. */
  Laggard notBegun(RoundDelivery delivery) {
    meters.heldBack(1);
    return delivery.notBegun(round.to(), clock.instant());
  }

  /**
   * Begins to move the checkpoint, if there is anything to move or to write.
   *
   * @param passed hosts that are passed over, and the subscription after which
   */
  void checkpoint(Tally.Cut cut, Map<String, Long> passed) {
    if (cut.upTo() == round.checkpoint() && cut.rows().isEmpty()) {
      return;
    }
    Round moved = round.at(cut.upTo(), passed);
    round = moved;
    write(
        cut,
        () -> {
          Failpoint.BEFORE_CHECKPOINT.reached();
          return rounds.checkpoint(moved, cut.rows());
        });
  }

  /**
   * Makes laggards of all subscribers that were passed over, now that the others are served.
   * Blocks.
   *
   * @param upTo where the pass has ended
   */
  void passOver(long upTo, Map<String, Long> passed) {
    if (!passed.isEmpty()) {
      passOver(round.at(upTo, passed));
    }
  }

  /**
   * Begins to close the round, once all subscribers that were passed over have their rows. The
   * round is closed when all of it is {@link #written}.
   */
  void close(Tally.Cut cut) {
    write(
        cut,
        () -> {
          Failpoint.BEFORE_ROUND_CLOSE.reached();
          return rounds.close(round, cut.rows());
        });
  }

  private interface Write {
    CompletableFuture<Void> begin();
  }

  private void write(Tally.Cut cut, Write write) {
    written =
        written
            .thenCompose(before -> write.begin())
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    settleLater(cut.late());
                  } else {
                    // These deliveries have no rows, so they must have ended before their
                    // subscribers are sent to again.
                    cut.late().forEach(tally::add);
                  }
                });
  }

  /** Settles late deliveries: only now does each have the row into which its outcome is written. */
  private void settleLater(List<RoundDelivery> late) {
    for (RoundDelivery delivery : late) {
      Laggard row = delivery.inFlight(round.to(), clock.instant());
      var unused =
          delivery.result.thenAccept(
              result -> settlement.settle(delivery.subscription, row, round.to(), result));
    }
  }

  /** Completes when all of it is written; fails if the store did. */
  CompletableFuture<Void> written() {
    return written;
  }

  /** Completes when no write is under way any more, also if the last one failed. */
  CompletableFuture<Void> landing() {
    return written.exceptionally(failure -> null);
  }

  /**
   * Waits until all of it is written. Blocks.
   *
   * @throws CompletionException if the store failed
   */
  void await() {
    written.join();
  }
}
