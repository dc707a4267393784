package io.feedbridge.gateway.log;

import io.feedbridge.gateway.store.log.Event;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The receiver of the events that a {@link LogFollower} reads. */
public interface LogSink {

  /**
   * Takes the next events. The batch before has ended when this is called. Must not block; heavy
   * work is for the sink's own threads.
   *
   * @param events at least one, in order, within the bounds of one {@link
   *     io.feedbridge.gateway.store.log.Document}. A retry brings the same ones again, until they
   *     are taken or have left the log (rule L12)
   * @param more whether the log had further events already, which did not fit
   * @param retries how often these were brought already, as far as that is known
   * @return the result, within a bounded time
   */
  CompletableFuture<Answer> take(List<Event> events, boolean more, int retries);

  /** Whether a batch must have as many events as fit, because the next one comes much later. */
  default boolean wantsFilled() {
    return false;
  }

  /**
   * Events had left the log before they were read, or could not be read; the follower goes on
   * behind them. Must return at once.
   *
   * @param after everything up to here was taken
   * @param upTo the newest one that is lost
   */
  default void missed(long after, long upTo) {}

  /**
   * The sink leaves a batch untaken while other readers wait for its room: it must end soon, with
   * {@link Answer#END}. Called only for sinks of readers, which come back from their position.
   */
  default void letGo() {}

  /** The result of a batch. */
  sealed interface Answer {
    Answer TAKEN = new Taken();
    Answer END = new End(0);

    /** The batch need not be brought again. */
    record Taken() implements Answer {}

    /**
     * The batch is brought again later.
     *
     * @param error a few words for the operator
     * @param retryAfter how long the sink asks to be left alone, which is respected up to 24 h
     * @param takenTo everything up to here was taken and need not be brought again; 0 for nothing
     */
    record Failed(String error, Optional<Duration> retryAfter, long takenTo) implements Answer {
      /** No part of it was taken. */
      public Failed(String error, Optional<Duration> retryAfter) {
        this(error, retryAfter, 0);
      }
    }

    /**
     * Not all of it could be taken yet, which is no failure: the missing events are brought again,
     * with newer ones unless it is a retry.
     *
     * @param takenTo as of a failure
     * @param ready completes when the sink takes more; until then nothing of the batch is kept
     */
    record Part(long takenTo, CompletionStage<?> ready) implements Answer {}

    /**
     * The follower ends; nothing is known of the rest of the batch.
     *
     * @param takenTo as of a failure
     */
    record End(long takenTo) implements Answer {}
  }
}
