package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Round;
import io.feedbridge.gateway.store.Rounds;
import io.feedbridge.gateway.store.Subscription;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Rounds in SQLite. */
final class SqliteRounds implements Rounds {

  private final SqliteDatabase database;

  SqliteRounds(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public List<Round> open() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM round ORDER BY feed_id")
                .map((row, context) -> Rows.round(row))
                .list());
  }

  @Override
  public List<Long> due(int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT id FROM feed WHERE head > rounded
                      AND NOT EXISTS (SELECT 1 FROM round WHERE feed_id = feed.id)
                    ORDER BY head LIMIT :limit
                    """)
                .bind("limit", limit)
                .mapTo(Long.class)
                .list());
  }

  @Override
  public CompletableFuture<Optional<Round>> open(long feedId, Instant now) {
    return database.write(
        (handle, effects) -> {
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
          // One that was sent a document past this round's beginning and has not taken it is still
          // to get just that (rule L12), and not before its back-off is over.
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
              .createUpdate(
                  """
                  UPDATE laggard SET next_attempt_at = :now
                  WHERE feed_id = :feed AND next_attempt_at IS NULL AND cursor < :to
                  """)
              .bind("now", now.toEpochMilli())
              .bind("feed", feedId)
              .bind("to", to)
              .execute();
          effects.add(Effect.LAGGARD);
          return Optional.of(new Round(feedId, from.get(), to, 0));
        });
  }

  @Override
  public List<Subscription> recipients(long feedId, long afterId, int limit) {
    return database.read(
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
    return database.change(
        (handle, effects) -> {
          SqliteLaggards.insert(handle, laggards);
          handle
              .createUpdate("UPDATE round SET checkpoint = :checkpoint WHERE feed_id = :feed")
              .bind("checkpoint", round.checkpoint())
              .bind("feed", round.feedId())
              .execute();
          if (!laggards.isEmpty()) {
            effects.add(Effect.LAGGARD);
          }
        });
  }

  @Override
  public CompletableFuture<Void> close(Round round, List<Laggard> laggards) {
    return database.change(
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
          if (!laggards.isEmpty()) {
            effects.add(Effect.LAGGARD);
          }
          effects.add(Effect.APPENDED);
        });
  }
}
