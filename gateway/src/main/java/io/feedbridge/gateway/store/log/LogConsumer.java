package io.feedbridge.gateway.store.log;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A durable consumer of the whole log (rule L8).
 *
 * @param id never used twice
 * @param name by which it is found after a restart
 * @param cursor all events up to this were consumed or are lost to the consumer. The consumer
 *     itself may be further on, by the events of one checkpoint interval
 * @param sentTo the end of the batch that was sent and failed, which a retry repeats (rule L12);
 *     absent while nothing is to be repeated
 * @param attempts batches in a row that failed
 * @param nextAttemptAt the earliest time of the next attempt
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

  /** The same consumer after a success: it has all events up to the end of its batch. */
  public LogConsumer at(long position, Instant now) {
    return new LogConsumer(id, name, position, null, 0, now, null);
  }

  /** The same consumer without its failures: a batch to be repeated is due at once. */
  public LogConsumer afresh(Instant now) {
    return new LogConsumer(id, name, cursor, sentTo, 0, now, null);
  }

  /** The same consumer after a failure, from the same cursor. */
  public LogConsumer failed(long to, Instant again, String why) {
    return new LogConsumer(id, name, cursor, to, attempts + 1, again, why);
  }
}
