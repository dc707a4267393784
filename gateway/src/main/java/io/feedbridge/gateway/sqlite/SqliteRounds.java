package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Round;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.Subscription;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/** Rounds in SQLite. */
final class SqliteRounds implements Rounds {

  private final SqliteDatabase database;
  private final DueHosts dueHosts;

  SqliteRounds(SqliteDatabase database, DueHosts dueHosts) {
    this.database = database;
    this.dueHosts = dueHosts;
  }

  @Override
  public Optional<Round> current(long feedId) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM round WHERE feed_id = :feed")
                .bind("feed", feedId)
                .map((row, context) -> Rows.round(row))
                .findOne());
  }

  @Override
  public List<Long> due(long afterFeedId, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT id FROM feed WHERE head > rounded AND id > :after ORDER BY id LIMIT :limit")
                .bind("after", afterFeedId)
                .bind("limit", limit)
                .mapTo(Long.class)
                .list());
  }

  @Override
  public CompletableFuture<Optional<Round>> open(long feedId, Instant now) {
    Set<String> woken = new HashSet<>();
    return database
        .writePatiently((handle, effects) -> open(handle, feedId, now, woken))
        .thenApply(
            round -> {
              woken.forEach(host -> dueHosts.tell(host, now));
              return round;
            });
  }

  /**
   * Opens a round as part of a transaction.
   *
   * @param woken is filled with the hosts of laggards that are due by it
   */
  private static Optional<Round> open(Handle handle, long feedId, Instant now, Set<String> woken) {
    Optional<Long> from =
        handle
            .createQuery(
                """
                SELECT rounded FROM feed WHERE id = :feed AND head > rounded
                  AND NOT EXISTS (SELECT 1 FROM round WHERE feed_id = :feed)
                """)
            .bind("feed", feedId)
            .mapTo(Long.class)
            .findOne();
    if (from.isEmpty()) {
      return Optional.empty();
    }
    long to = SqliteLaggards.documentEnd(handle, feedId, from.get());
    handle
        .createUpdate(
            "INSERT INTO round (feed_id, from_seq, to_seq, checkpoint) VALUES (:feed, :from, :to, 0)")
        .bind("feed", feedId)
        .bind("from", from.get())
        .bind("to", to)
        .execute();
    // One that was sent a document past this round's beginning and has not taken it is still to
    // get just that (rule L12), and not before its back-off is over.
    handle
        .createUpdate(
            """
            DELETE FROM laggard WHERE feed_id = :feed AND cursor = :from AND in_flight = 0
              AND attempts = 0 AND sent_to IS NULL
            """)
        .bind("feed", feedId)
        .bind("from", from.get())
        .execute();
    // Laggards that rested because they were ahead of the round before miss something now.
    handle
        .createQuery(
            """
            UPDATE laggard SET
              next_attempt_at = :now,
              behind_since =
                (SELECT at FROM event
                 WHERE event.feed_id = :feed AND event.seq > laggard.cursor
                 ORDER BY event.seq LIMIT 1)
            WHERE feed_id = :feed AND next_attempt_at IS NULL AND cursor < :to
            RETURNING host
            """)
        .bind("now", now.toEpochMilli())
        .bind("feed", feedId)
        .bind("to", to)
        .mapTo(String.class)
        .forEach(woken::add);
    return Optional.of(new Round(feedId, from.get(), to, 0));
  }

  @Override
  public List<Subscription> recipients(long feedId, long afterId, int limit) {
    // Between two recipients there may be any number of laggards.
    return database.readLong(
        handle ->
            handle
                .createQuery(
                    "SELECT "
                        + Rows.SUBSCRIPTION
                        + """
                         FROM subscription s
                        WHERE s.feed_id = :feed AND s.id > :after
                          AND NOT EXISTS
                            (SELECT 1 FROM laggard WHERE laggard.subscription_id = s.id)
                        ORDER BY s.id LIMIT :limit
                        """)
                .bind("feed", feedId)
                .bind("after", afterId)
                .bind("limit", limit)
                .map((row, context) -> Rows.subscription(row))
                .list());
  }

  @Override
  public CompletableFuture<Void> checkpoint(Round round, List<Laggard> laggards) {
    return database
        .changePatiently(
            (handle, effects) -> {
              SqliteLaggards.insert(handle, laggards);
              handle
                  .createUpdate("UPDATE round SET checkpoint = :checkpoint WHERE feed_id = :feed")
                  .bind("checkpoint", round.checkpoint())
                  .bind("feed", round.feedId())
                  .execute();
            })
        .thenRun(() -> dueHosts.tell(laggards));
  }

  @Override
  public CompletableFuture<Void> close(Round round, List<Laggard> laggards) {
    return database
        .changePatiently(
            (handle, effects) -> {
              SqliteLaggards.insert(handle, laggards);
              handle
                  .createUpdate("DELETE FROM round WHERE feed_id = :feed")
                  .bind("feed", round.feedId())
                  .execute();
              handle
                  .createUpdate("UPDATE feed SET rounded = :to WHERE id = :feed")
                  .bind("to", round.to())
                  .bind("feed", round.feedId())
                  .execute();
              effects.add(Effect.APPENDED);
            })
        .thenRun(() -> dueHosts.tell(laggards));
  }
}
