package io.feedbridge.gateway.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A durable consumer of the whole log (rule L8).
 *
 * @param id never used twice
 * @param name by which it is found after a restart
 * @param cursor everything up to it was consumed or is lost to it; it may be less far than the
 *     consumer is, by what is between two checkpoints
 * @param sentTo the end of the batch that was sent and failed, which a retry repeats (rule L12);
 *     absent while nothing is to be repeated
 * @param attempts batches in a row that failed
 * @param nextAttemptAt not before this
 * @param error why the last attempt failed
 */
public record LogConsumer(
    long id,
    String name,
    long cursor,
    @Nullable Long sentTo,
    int attempts,
    Instant nextAttemptAt,
    @Nullable String error) {

  /** The same consumer after a success: it has everything up to there. */
  public LogConsumer at(long position, Instant now) {
    return new LogConsumer(id, name, position, null, 0, now, null);
  }

  /** The same consumer after a failure, from the same cursor. */
  public LogConsumer failed(long to, Instant again, String why) {
    return new LogConsumer(id, name, cursor, to, attempts + 1, again, why);
  }
}
