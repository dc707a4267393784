package io.feedbridge.gateway.log;

import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Positions of durable consumers on their way to the store. Positions that are due at the same time
 * are one write, since a write for each costs more than its delivery. For one thread.
 */
final class Cursors {

  private final Consumers consumers;
  private List<Move> due = new ArrayList<>();

  Cursors(Consumers consumers) {
    this.consumers = consumers;
  }

  private record Move(LogConsumer consumer, CompletableFuture<Boolean> outcome) {
    void written(@Nullable Set<Long> ids, @Nullable Throwable failure) {
      if (ids == null || failure != null) {
        outcome.completeExceptionally(
            failure == null ? new IllegalStateException("no outcome") : failure);
      } else {
        outcome.complete(ids.contains(consumer.id()));
      }
    }
  }

  /**
   * Has a position written with the next {@link #write}.
   *
   * @return completes with whether the consumer is still there, and no further; on any thread
   */
  CompletableFuture<Boolean> move(LogConsumer consumer) {
    Move move = new Move(consumer, new CompletableFuture<>());
    due.add(move);
    return move.outcome;
  }

  /** Begins to write all positions that are due. */
  void write() {
    if (due.isEmpty()) {
      return;
    }
    List<Move> moves = due;
    due = new ArrayList<>();
    var unused =
        consumers
            .move(moves.stream().map(Move::consumer).toList())
            .whenComplete((ids, failure) -> moves.forEach(move -> move.written(ids, failure)));
  }

  /** {@link Consumers#skip}, after everything that is due: it may be of the same consumer. */
  CompletableFuture<Boolean> skip(LogConsumer consumer, long start, Instant now) {
    write();
    return consumers.skip(consumer, start, now);
  }
}
