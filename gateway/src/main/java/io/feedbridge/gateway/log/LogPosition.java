package io.feedbridge.gateway.log;

import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.LogConsumer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The position of a follower, and the events that it must repeat. The position of a durable
 * consumer is written at checkpoints and after each failure; that of any other reader is here
 * alone. Guarded by its follower.
 */
final class LogPosition {

  /** Events that a crash may bring again, beside the batch in flight (rule L16). */
  static final int CHECKPOINT_INTERVAL = 200;

  /** No batch is begun before a checkpoint covers so many: a batch is not longer than the rest. */
  private static final int FULL = CHECKPOINT_INTERVAL - Document.MAX_ENTRIES;

  /** How long events that were taken wait for a checkpoint. */
  static final Duration AFTER_EVENTS = Duration.ofSeconds(1);

  /** How long a position waits that moved past other readers' events only: a crash repeats none. */
  static final Duration AFTER_OTHERS = Duration.ofMinutes(1);

  /** Positions that are to be written within so long of each other are written together. */
  private static final Duration TOGETHER = Duration.ofMillis(250);

  /** How long to wait after a write that failed, because of a full disk, say. */
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  private final @Nullable Cursors cursors;
  private LogConsumer now;
  private @Nullable Instant saveAt;
  private boolean writing;
  private int unsaved;

  /**
   * A position.
   *
   * @param cursors by which it is written; absent where it is not
   */
  LogPosition(LogConsumer consumer, @Nullable Cursors cursors) {
    this.cursors = cursors;
    now = consumer;
  }

  /** The consumer as it is, written or not. */
  LogConsumer now() {
    return now;
  }

  /** The next batch is not to be tried before this. */
  Optional<Instant> notBefore() {
    return now.attempts() == 0 ? Optional.empty() : Optional.of(now.nextAttemptAt());
  }

  /** Whether so many events are not written that one more batch could exceed the interval. */
  boolean isFull() {
    return unsaved >= FULL;
  }

  /** When {@link #save} has something to do. */
  Optional<Instant> saveAt() {
    return Optional.ofNullable(writing ? null : saveAt);
  }

  /** Whether the position is written, or need not be. */
  boolean isSaved() {
    return saveAt == null && !writing;
  }

  /**
   * Everything up to there was taken or passed over.
   *
   * @param events that were taken
   */
  void moved(long to, int events, Instant at) {
    now = now.at(to, at);
    if (cursors != null) {
      unsaved += events;
      saveBy(isFull() ? at : together(at.plus(events > 0 ? AFTER_EVENTS : AFTER_OTHERS)));
    }
  }

  private static Instant together(Instant at) {
    return at.minusMillis(Math.floorMod(at.toEpochMilli(), TOGETHER.toMillis()));
  }

  /** The events up to there are to be repeated. */
  void failed(long to, Instant again, String error, Instant at) {
    now = now.failed(to, again, error);
    saveBy(at);
  }

  /** A retry that waits is due. */
  void retry(Instant at) {
    now =
        new LogConsumer(
            now.id(), now.name(), now.cursor(), now.sentTo(), now.attempts(), at, now.error());
  }

  /** The failures so far do not count any more: a retry is due at once. */
  void afresh(Instant at) {
    now = now.afresh(at);
    saveBy(at);
  }

  /** Makes the write of a changed position due. */
  void saveSoon(Instant at) {
    if (saveAt != null) {
      saveBy(at);
    }
  }

  private void saveBy(Instant at) {
    if (cursors != null && (saveAt == null || at.isBefore(saveAt))) {
      saveAt = at;
    }
  }

  /**
   * Puts on record that the log begins behind the position, which is then to be {@link #moved}.
   *
   * @return completes with whether the consumer is still there
   */
  CompletableFuture<Boolean> skip(long start, Instant at) {
    return cursors == null ? CompletableFuture.completedFuture(true) : cursors.skip(now, start, at);
  }

  /**
   * Begins to write if that is due; the outcome is to be brought to {@link #written}.
   *
   * @return completes with whether the consumer is still there
   */
  Optional<CompletableFuture<Boolean>> save(Instant at) {
    if (cursors == null || writing || saveAt == null || saveAt.isAfter(at)) {
      return Optional.empty();
    }
    writing = true;
    saveAt = null;
    return Optional.of(cursors.move(now));
  }

  /**
   * A write has ended.
   *
   * @param covered the events that were not written when it began
   */
  void written(boolean done, int covered, Instant at) {
    writing = false;
    if (done) {
      unsaved -= covered;
    } else {
      saveBy(at.plus(AFTER_FAILURE));
    }
  }

  /** Events taken that no checkpoint covers. */
  int unsaved() {
    return unsaved;
  }
}
