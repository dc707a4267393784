package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.failpoint.Failpoint;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Round;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.Subscription;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * What a walk writes of its round, one after the other and beside the walk: it goes on while a
 * checkpoint is written, and waits for that before it makes the next. Used by one turn at a time.
 */
final class Progress {

  private final Rounds rounds;
  private final Tally tally;
  private final Settlement settlement;
  private final Meters meters;
  private final Clock clock;

  /** Whether it was walked before, so that some past its checkpoint may have their document. */
  private final boolean resumed;

  private volatile Round round;
  private CompletableFuture<Void> written = CompletableFuture.completedFuture(null);
  private boolean begun;

  /**
   * The progress of a walk.
   *
   * @param round as it is in the store
   * @param resumed whether an earlier walk of it was cut off
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

  /**
   * The end of the document that subscribers may have got before a crash, without a row that says
   * so: whatever comes of this walk, that document is what they get next (rule L12).
   */
  @Nullable Long perhapsSentTo() {
    return resumed ? round.to() : null;
  }

  /** Writes what an earlier walk has left to be written, the first time. Blocks. */
  void begin() {
    if (!begun && !round.passed().isEmpty()) {
      passOver(round);
      round = round.at(round.checkpoint(), Map.of());
    }
    begun = true;
  }

  /** Makes laggards of those whom the round has passed over up to its checkpoint. */
  private void passOver(Round walked) {
    Rounds.Passing passing = new Rounds.Passing(Collections.min(walked.passed().values()), 0);
    do {
      passing = rounds.passOver(walked, passing.upTo(), perhapsSentTo(), clock.instant()).join();
      meters.heldBack(passing.count());
    } while (passing.upTo() < walked.checkpoint());
  }

  /** One at such a host becomes a laggard, with the next checkpoint. */
  void passOver(Subscription subscription, long after) {
    meters.heldBack(1);
    tally.owe(RoundDelivery.passedOver(subscription, after, perhapsSentTo(), clock.instant()));
  }

  /** The row of one that was to be sent something and waited in vain for room at its host. */
  Laggard notBegun(RoundDelivery delivery) {
    meters.heldBack(1);
    return delivery.notBegun(clock.instant());
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
   * Makes laggards of all who were passed over, now that everybody else is served. Blocks.
   *
   * @param upTo where the walk has ended
   */
  void passOver(long upTo, Map<String, Long> passed) {
    if (!passed.isEmpty()) {
      passOver(round.at(upTo, passed));
    }
  }

  /** Closes the round once all who were passed over have their rows. Blocks. */
  void close(Tally.Cut cut) {
    write(
        cut,
        () -> {
          Failpoint.BEFORE_ROUND_CLOSE.reached();
          return rounds.close(round, cut.rows());
        });
    await();
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
                    // They have no rows, so they must have ended before anybody sends to them
                    // again.
                    cut.late().forEach(tally::add);
                  }
                });
  }

  /** Only now does each have the row into which its outcome is written. */
  private void settleLater(List<RoundDelivery> late) {
    for (RoundDelivery delivery : late) {
      Laggard row = delivery.inFlight(round.to(), clock.instant());
      var unused =
          delivery.verdict.thenAccept(verdict -> settlement.settle(row, round.to(), verdict));
    }
  }

  /** Completes when nothing is being written any more, whatever came of it. */
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
