package io.feedbridge.gateway.sqlite;

import io.feedbridge.gateway.store.Document;
import io.feedbridge.gateway.store.Laggard;
import io.feedbridge.gateway.store.Laggards;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/** Laggards in SQLite. */
final class SqliteLaggards implements Laggards {

  private final SqliteDatabase database;

  SqliteLaggards(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public List<Laggard> due(Instant now, int limit, Set<String> busyHosts) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT * FROM laggard
                    WHERE in_flight = 0 AND next_attempt_at IS NOT NULL AND next_attempt_at <= :now
                      AND host NOT IN (<busy>)
                    ORDER BY next_attempt_at LIMIT :limit
                    """)
                .bind("now", now.toEpochMilli())
                .bindList("busy", busyHosts.isEmpty() ? List.of("") : List.copyOf(busyHosts))
                .bind("limit", limit)
                .map((row, context) -> Rows.laggard(row))
                .list());
  }

  @Override
  public Optional<Instant> nextDue() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT next_attempt_at AS at FROM laggard
                    WHERE in_flight = 0 AND next_attempt_at IS NOT NULL
                    ORDER BY next_attempt_at LIMIT 1
                    """)
                .map((row, context) -> Rows.instant(row, "at"))
                .findOne());
  }

  @Override
  public CompletableFuture<List<Laggard>> claim(List<Laggard> laggards) {
    return database.write(
        (handle, effects) -> {
          List<Laggard> claimed = new ArrayList<>();
          for (Laggard laggard : laggards) {
            int rows =
                handle
                    .createUpdate(
                        """
                        UPDATE laggard SET in_flight = 1, sent_to = :to
                        WHERE subscription_id = :id AND in_flight = 0 AND cursor = :cursor
                          AND attempts = :attempts AND next_attempt_at IS NOT NULL
                        """)
                    .bind("to", laggard.sentTo())
                    .bind("id", laggard.subscriptionId())
                    .bind("cursor", laggard.cursor())
                    .bind("attempts", laggard.attempts())
                    .execute();
            if (rows == 1) {
              claimed.add(laggard);
            }
          }
          return claimed;
        });
  }

  @Override
  public CompletableFuture<Void> settle(Laggard laggard, Instant now) {
    return database.change(
        (handle, effects) -> {
          // One that misses nothing but what the feed's next round brings waits for that (rule L5);
          // one that misses more is served at once, or when its back-off is over.
          handle
              .createUpdate(
                  """
                  UPDATE laggard SET
                    cursor = :cursor, sent_to = :sentTo, attempts = :attempts, in_flight = 0,
                    error = :error,
                    next_attempt_at = CASE
                      WHEN :attempts > 0 THEN :next
                      WHEN :cursor >= (SELECT head FROM feed WHERE id = feed_id) THEN NULL
                      WHEN :cursor = (SELECT rounded FROM feed WHERE id = feed_id)
                        AND NOT EXISTS
                          (SELECT 1 FROM round WHERE round.feed_id = laggard.feed_id) THEN NULL
                      ELSE :now END
                  WHERE subscription_id = :id
                  """)
              .bind("cursor", laggard.cursor())
              .bind("sentTo", laggard.sentTo())
              .bind("attempts", laggard.attempts())
              .bind("error", laggard.error())
              .bind("next", laggard.nextAttemptAt().toEpochMilli())
              .bind("now", now.toEpochMilli())
              .bind("id", laggard.subscriptionId())
              .execute();
          effects.add(Effect.LAGGARD);
        });
  }

  @Override
  public long documentEnd(long feedId, long cursor) {
    return database.read(handle -> documentEnd(handle, feedId, cursor));
  }

  /** {@link #documentEnd} as part of a larger transaction. */
  static long documentEnd(Handle handle, long feedId, long cursor) {
    return handle
        .createQuery(
            """
            SELECT MAX(seq) FROM (
              SELECT seq, ROW_NUMBER() OVER w AS number,
                SUM(entries) OVER w AS entries, SUM(LENGTH(payload)) OVER w AS bytes
              FROM (SELECT seq, entries, payload FROM event
                    WHERE feed_id = :feed AND seq > :cursor ORDER BY seq LIMIT :limit)
              WINDOW w AS (ORDER BY seq))
            WHERE number = 1 OR (entries <= :maxEntries AND bytes <= :maxBytes)
            """)
        .bind("feed", feedId)
        .bind("cursor", cursor)
        .bind("limit", Document.MAX_ENTRIES)
        .bind("maxEntries", Document.MAX_ENTRIES)
        .bind("maxBytes", Document.MAX_BYTES)
        .mapTo(Long.class)
        .findOne()
        .orElse(cursor);
  }

  @Override
  public CompletableFuture<Void> landAll() {
    return database.change(
        (handle, effects) -> {
          handle.execute("UPDATE laggard SET in_flight = 0 WHERE in_flight = 1");
        });
  }

  /** Writes the rows of those whom a round did not serve, unless their subscription has ended. */
  static void insert(Handle handle, List<Laggard> laggards) {
    if (laggards.isEmpty()) {
      return;
    }
    var batch =
        handle.prepareBatch(
            """
            INSERT INTO laggard
              (subscription_id, feed_id, host, cursor, sent_to, attempts, next_attempt_at,
               in_flight, error)
            SELECT id, feed_id, :host, :cursor, :sentTo, :attempts, :next, :inFlight, :error
            FROM subscription WHERE id = :id
            ON CONFLICT (subscription_id) DO NOTHING
            """);
    for (Laggard laggard : laggards) {
      batch
          .bind("id", laggard.subscriptionId())
          .bind("host", laggard.host())
          .bind("cursor", laggard.cursor())
          .bind("sentTo", laggard.sentTo())
          .bind("attempts", laggard.attempts())
          .bind("next", laggard.nextAttemptAt().toEpochMilli())
          .bind("inFlight", laggard.inFlight())
          .bind("error", laggard.error())
          .add();
    }
    batch.execute();
  }
}
