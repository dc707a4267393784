package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The durable consumers of the whole log, each with one cursor (rule L8). */
public final class Consumers {

  /** Gaps on record per consumer; the oldest are removed first. */
  public static final int MAX_GAPS = 100;

  private final Database database;

  public Consumers(Database database) {
    this.database = database;
  }

  /** Begins a consumer at the end of the log, or finds the consumer of this name. */
  public CompletableFuture<LogConsumer> create(String name, Instant now) {
    return database.write((handle, effects) -> create(handle, name, now));
  }

  /** {@link #create} as part of a larger transaction. */
  static LogConsumer create(Handle handle, String name, Instant now) {
    handle
        .createUpdate(
            """
            INSERT INTO consumer (name, cursor, next_attempt_at, created_at, start)
            VALUES (:name, :head, :now, :now, :head)
            ON CONFLICT (name) DO NOTHING
            """)
        .bind("name", name)
        .bind("head", SqlLog.head(handle))
        .bind("now", now.toEpochMilli())
        .execute();
    return find(handle, name).orElseThrow();
  }

  static Optional<LogConsumer> find(Handle handle, String name) {
    return handle
        .createQuery("SELECT * FROM consumer WHERE name = :name")
        .bind("name", name)
        .map((row, context) -> Rows.consumer(row))
        .findOne();
  }

  public Optional<LogConsumer> byName(String name) {
    return database.read(handle -> find(handle, name));
  }

  /** All consumers, in the order in which they were created. */
  public List<LogConsumer> all() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM consumer ORDER BY id")
                .map((row, context) -> Rows.consumer(row))
                .list());
  }

  /**
   * Writes the cursors of consumers and the results of their last attempts, in one transaction.
   *
   * @param consumers each consumer once
   * @return the ids of the consumers that were written. A consumer that was removed, or whose
   *     stored cursor is further on, is not written
   */
  public CompletableFuture<Set<Long>> move(List<LogConsumer> consumers) {
    List<LogConsumer> moved = List.copyOf(consumers);
    return database.write((handle, effects) -> move(handle, moved));
  }

  private static Set<Long> move(Handle handle, List<LogConsumer> consumers) {
    PreparedBatch rows =
        handle.prepareBatch(
            """
            UPDATE consumer SET
              cursor = :cursor, sent_to = :sentTo, attempts = :attempts,
              next_attempt_at = :next, error = :error
            WHERE id = :id AND cursor <= :cursor
            """);
    for (LogConsumer consumer : consumers) {
      rows.bind("cursor", consumer.cursor())
          .bind("sentTo", consumer.sentTo())
          .bind("attempts", consumer.attempts())
          .bind("next", consumer.nextAttemptAt().toEpochMilli())
          .bind("error", consumer.error())
          .bind("id", consumer.id())
          .add();
    }
    int[] written = rows.execute();
    Set<Long> ids = new HashSet<>();
    for (int i = 0; i < written.length; i++) {
      if (written[i] == 1) {
        ids.add(consumers.get(i).id());
      }
    }
    return ids;
  }

  /**
   * Moves a consumer whose cursor is older than the log to the start of the log, and records the
   * gap (rule L13). The consumer has no batch to repeat then.
   *
   * @param consumer the consumer before the move: events up to its cursor are no part of the gap
   * @param start {@link Log.Page#after} of a read from its cursor
   * @return whether the consumer was written, as for {@link #move}
   */
  public CompletableFuture<Boolean> skip(LogConsumer consumer, long start, Instant now) {
    return database.write(
        (handle, effects) -> {
          if (move(handle, List.of(consumer.at(start, now))).isEmpty()) {
            return false;
          }
          handle
              .createUpdate(
                  """
                  INSERT INTO consumer_gap (consumer_id, after, up_to, at)
                  VALUES (:id, :after, :upTo, :now)
                  """)
              .bind("id", consumer.id())
              .bind("after", consumer.cursor())
              .bind("upTo", start)
              .bind("now", now.toEpochMilli())
              .execute();
          handle
              .createUpdate(
                  """
                  DELETE FROM consumer_gap WHERE consumer_id = :id AND id <=
                    (SELECT id FROM consumer_gap WHERE consumer_id = :id
                     ORDER BY id DESC LIMIT 1 OFFSET :kept)
                  """)
              .bind("id", consumer.id())
              .bind("kept", MAX_GAPS)
              .execute();
          return true;
        });
  }

  /**
   * Moves a consumer back, so that it gets later events again, and forgets its failures. No
   * follower may serve it meanwhile.
   *
   * @param after the new cursor; a consumer whose cursor is further back stays there
   * @return false if there is no such consumer
   */
  public CompletableFuture<Boolean> rewind(long id, long after, Instant now) {
    return database.write(
        (handle, effects) ->
            handle
                    .createUpdate(
                        """
                        UPDATE consumer SET
                          cursor = CASE WHEN cursor < :after THEN cursor ELSE :after END,
                          start = CASE WHEN start < :after THEN start ELSE :after END,
                          sent_to = NULL, attempts = 0, next_attempt_at = :now, error = NULL
                        WHERE id = :id
                        """)
                    .bind("after", after)
                    .bind("now", now.toEpochMilli())
                    .bind("id", id)
                    .execute()
                == 1);
  }

  /**
   * The newest event when a consumer began, or an earlier one to which it was moved back: the
   * consumer gets nothing up to it. 0 where that is not known, and for no consumer.
   */
  public long start(long id) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT start FROM consumer WHERE id = :id")
                .bind("id", id)
                .mapTo(Long.class)
                .findOne()
                .orElse(0L));
  }

  /** Forgets a consumer and its gaps. */
  public CompletableFuture<Void> remove(long id) {
    return database.change(
        (handle, effects) -> {
          handle.createUpdate("DELETE FROM consumer WHERE id = :id").bind("id", id).execute();
        });
  }

  /** The gaps of a consumer: events that it has lost. The oldest gap comes first. */
  public List<Gap> gaps(long id) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM consumer_gap WHERE consumer_id = :id ORDER BY id")
                .bind("id", id)
                .map(
                    (row, context) ->
                        new Gap(
                            row.getLong("after"), row.getLong("up_to"), Rows.instant(row, "at")))
                .list());
  }

  /**
   * Events that left the log before they were consumed.
   *
   * @param after the consumer had everything up to here
   * @param upTo the newest lost event
   * @param at when that was found out
   */
  public record Gap(long after, long upTo, Instant at) {}
}
