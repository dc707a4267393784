package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The durable consumers of the whole log, each with one cursor (rule L8). */
public interface Consumers {

  /** Gaps on record per consumer; the oldest give way. */
  int MAX_GAPS = 100;

  /** Begins a consumer at the end of the log, or finds the one that has this name. */
  CompletableFuture<LogConsumer> create(String name, Instant now);

  Optional<LogConsumer> byName(String name);

  /** All of them, in the order in which they were created. */
  List<LogConsumer> all();

  /**
   * Writes where consumers are and what came of their last attempts, all of it at once.
   *
   * @param consumers of which each is there once
   * @return the ids of those of whom that was written: it is not of one that is gone, or further
   *     already
   */
  CompletableFuture<Set<Long>> move(List<LogConsumer> consumers);

  /**
   * Moves a consumer whose cursor is older than the log to where that begins, with the gap on
   * record (rule L13); nothing is to be repeated then.
   *
   * @param consumer as it is: what it has up to its cursor is no gap
   * @param start {@link Log.Page#after} of a read from its cursor
   * @return whether that was written; as for {@link #move}
   */
  CompletableFuture<Boolean> skip(LogConsumer consumer, long start, Instant now);

  /** Forgets a consumer and its gaps. */
  CompletableFuture<Void> remove(long id);

  /** What a consumer has missed for good, the oldest gap first. */
  List<Gap> gaps(long id);

  /**
   * Events that left the log before they were consumed.
   *
   * @param after the consumer had everything up to here
   * @param upTo the newest one lost
   * @param at when that was found out
   */
  record Gap(long after, long upTo, Instant at) {}
}
