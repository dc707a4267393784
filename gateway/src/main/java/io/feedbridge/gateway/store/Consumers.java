package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The durable consumers of the whole log, each with one cursor (rule L8). */
public interface Consumers {

  /** Gaps on record per consumer; the oldest are removed first. */
  int MAX_GAPS = 100;

  /** Begins a consumer at the end of the log, or finds the consumer of this name. */
  CompletableFuture<LogConsumer> create(String name, Instant now);

  Optional<LogConsumer> byName(String name);

  /** All consumers, in the order in which they were created. */
  List<LogConsumer> all();

  /**
   * Writes the cursors of consumers and the results of their last attempts, in one transaction.
   *
   * @param consumers each consumer once
   * @return the ids of the consumers that were written. A consumer that was removed, or whose
   *     stored cursor is further on, is not written
   */
  CompletableFuture<Set<Long>> move(List<LogConsumer> consumers);

  /**
   * Moves a consumer whose cursor is older than the log to the start of the log, and records the
   * gap (rule L13). The consumer has no batch to repeat then.
   *
   * @param consumer the consumer before the move: events up to its cursor are no part of the gap
   * @param start {@link Log.Page#after} of a read from its cursor
   * @return whether the consumer was written, as for {@link #move}
   */
  CompletableFuture<Boolean> skip(LogConsumer consumer, long start, Instant now);

  /**
   * Moves a consumer back, so that it gets later events again, and forgets its failures. No
   * follower may serve it meanwhile.
   *
   * @param after the new cursor; a consumer whose cursor is further back stays there
   * @return false if there is no such consumer
   */
  CompletableFuture<Boolean> rewind(long id, long after, Instant now);

  /**
   * The newest event when a consumer began, or an earlier one to which it was moved back: the
   * consumer gets nothing up to it. 0 where that is not known, and for no consumer.
   */
  long start(long id);

  /** Forgets a consumer and its gaps. */
  CompletableFuture<Void> remove(long id);

  /** The gaps of a consumer: events that it has lost. The oldest gap comes first. */
  List<Gap> gaps(long id);

  /**
   * Events that left the log before they were consumed.
   *
   * @param after the consumer had everything up to here
   * @param upTo the newest lost event
   * @param at when that was found out
   */
  record Gap(long after, long upTo, Instant at) {}
}
