package io.feedbridge.gateway.fanout;

import io.feedbridge.gateway.store.Event;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Where a {@link LogFollower} brings what it reads. */
public interface LogSink {

  /**
   * Takes the next events. The one before has ended when this is called. Must not block; what is
   * heavy is for the sink's own threads.
   *
   * @param events at least one, in order, within the bounds of one {@link
   *     io.feedbridge.gateway.store.Document}. A retry brings the same ones again, until they are
   *     taken or have left the log (rule L12)
   * @param retries how often these were brought already, as far as that is known
   * @return what came of it, within a bounded time
   */
  CompletableFuture<Answer> take(List<Event> events, int retries);

  /**
   * Events had left the log before they were read; the follower goes on behind them. Must return at
   * once.
   *
   * @param after everything up to here was taken
   * @param upTo the newest one that is lost
   */
  default void missed(long after, long upTo) {}

  /** What came of a batch. */
  sealed interface Answer {
    Answer TAKEN = new Taken();
    Answer END = new End(0);

    /** It need not be brought again. */
    record Taken() implements Answer {}

    /**
     * It is brought again later.
     *
     * @param error a few words for the operator
     * @param retryAfter how long the sink asks to be left alone, which is respected up to 24 h
     * @param takenTo everything up to here was taken and need not be brought again; 0 for nothing
     */
    record Failed(String error, Optional<Duration> retryAfter, long takenTo) implements Answer {
      /** Nothing of it was taken. */
      public Failed(String error, Optional<Duration> retryAfter) {
        this(error, retryAfter, 0);
      }
    }

    /**
     * Not all of it could be taken yet, which is no failure: what is missing is brought again, with
     * what has come since unless it is a retry.
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
